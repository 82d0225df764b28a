import type { Loader } from './loader.ts'

/** Commands of the plan that the event saw to their end. */
export const seen: Loader<'seen'> = {
  looks: ['seen'],
  load: (_, { looked }) => looked.seen,
}
