import type { FoundChunk } from './found.ts'
import { keyOf } from './weigh.ts'

/** So that one long file does not fill an answer. */
const MOST_PER_SOURCE = 5

/** The first of those that were found, best first, without too many of one source. */
export function rank(found: readonly FoundChunk[], limit: number): readonly FoundChunk[] {
  const perSource = new Map<string, number>()
  return found
    .filter((chunk) => {
      const count = (perSource.get(keyOf(chunk)) ?? 0) + 1
      perSource.set(keyOf(chunk), count)
      return count <= MOST_PER_SOURCE
    })
    .slice(0, limit)
}
