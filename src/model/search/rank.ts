import type { FoundChunk } from './found.ts'
import { keyOf } from './weigh.ts'

/** Of ten results; further ones of the same source come last, so that one long file does not hide the others. */
const MOST_PER_SOURCE = 7

/** The first of those that were found, best first. */
export function rank(found: readonly FoundChunk[], limit: number): readonly FoundChunk[] {
  const perSource = new Map<string, number>()
  const { first = [], last = [] } = Object.groupBy(found, (chunk) => {
    const count = (perSource.get(keyOf(chunk)) ?? 0) + 1
    perSource.set(keyOf(chunk), count)
    return count <= MOST_PER_SOURCE ? 'first' : 'last'
  })
  return [...first, ...last].slice(0, limit)
}
