import type { Loader } from './loader.ts'

/** A command that writes something that its text does not name. */
export const unsureWrite: Loader<'unsureWrite'> = {
  looks: ['files'],
  load: (_, { looked }) => looked.unsureWrite,
}
