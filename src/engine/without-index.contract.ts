import { openAi } from '../ai/index.ts'
import type { Context } from './call/context.ts'

/** An engine that neither searches nor asks models. */
export const withoutIndex: Pick<Context, 'index' | 'ai'> = {
  ai: openAi(() => undefined),
  index: {
    find: () => Promise.resolve([]),
    refresh: () => Promise.resolve(),
    vectors: () => Promise.resolve(null),
    progress: () => undefined,
  },
}
