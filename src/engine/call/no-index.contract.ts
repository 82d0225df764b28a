import type { TextIndex } from './context.ts'

/** An index without any text. */
export const NO_INDEX: TextIndex = {
  find: () => Promise.resolve([]),
  remember: () => Promise.resolve([]),
  refresh: () => Promise.resolve(),
  progress: () => undefined,
}
