import type { Loader } from './loader.ts'

/** The files that the event reads. */
export const reads: Loader<'reads'> = {
  looks: ['files'],
  load: (_, { looked }) => looked.reads,
}
