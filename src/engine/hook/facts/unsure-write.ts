import type { Loader } from './loader.ts'

/** Whether a command writes files that its text does not name. */
export const unsureWrite: Loader<'unsureWrite'> = {
  looks: ['files'],
  load: (_, { looked }) => looked.unsureWrite,
}
