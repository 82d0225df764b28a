import { at, countAt } from './json.ts'

/** The embeddings of a list in the order of their indexes, because some servers answer in another order. */
export function byIndex(data: readonly unknown[]): readonly unknown[] {
  const found: unknown[] = Array.from({ length: data.length }, () => undefined)
  for (const [position, one] of data.entries())
    found[countAt(one, 'index') ?? position] = at(one, 'embedding')
  return found
}
