import { openAi } from '../../ai/index.ts'
import type { Context } from './context.ts'

/** The parts of a context that know nothing: a machine of its own, no model, and an index without any text. */
export const BARE = {
  machine: { machine_id: 'this-machine', label: 'here', isRunning: () => true },
  memoryMilliseconds: 1000,
  questionMilliseconds: 1000,
  ai: openAi(() => undefined),
  index: {
    find: () => Promise.resolve([]),
    remember: () => Promise.resolve([]),
    split: () => Promise.resolve([]),
    refresh: () => Promise.resolve(),
    progress: () => undefined,
    vectors: () => Promise.resolve(null),
  },
} as const satisfies Partial<Context>
