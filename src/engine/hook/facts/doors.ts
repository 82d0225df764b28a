import type { Loader } from './loader.ts'

/** What a call does that only the user may do. */
export const doors: Loader<'doors'> = {
  looks: ['doors'],
  load: (_, { looked }) => looked.doors,
}
