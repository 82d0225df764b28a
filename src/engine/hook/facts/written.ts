import type { Loader } from './loader.ts'

/** Which files of efforts exist, by a look before the transaction. */
export const written: Loader<'written'> = {
  looks: ['written'],
  load: (_, { looked }) => looked.written ?? new Map(),
}
