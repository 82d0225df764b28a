import type { Loader } from './loader.ts'

/** What the project knows about the request of a call, as far as somebody looked. */
export const memory: Loader<'memory'> = {
  looks: ['memory'],
  load: (_, { looked }) => looked.memory,
}
