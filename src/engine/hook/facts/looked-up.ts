import { NOTHING_LOOKED_UP } from '../../../rules/told/background.ts'
import type { Loader } from './loader.ts'

/** The files that may be told, by looks before the transaction. */
export const lookedUp: Loader<'lookedUp'> = {
  looks: ['written', 'contents'],
  load: (_, { looked: { written, contents, standards } }) => ({
    written: written ?? NOTHING_LOOKED_UP.written,
    contents: contents ?? NOTHING_LOOKED_UP.contents,
    standards: standards ?? [],
  }),
}
