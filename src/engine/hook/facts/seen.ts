import type { Loader } from './loader.ts'

/** Commands of the plan whose end the event observed. */
export const seen: Loader<'seen'> = {
  looks: ['seen'],
  load: (_, { looked }) => looked.seen,
}
