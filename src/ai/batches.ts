/** A request with more text may be refused by the provider. */
const MOST_CHARACTERS = 200_000

/** The texts in their order, in requests that are not too large. */
export function batchesOf(texts: readonly string[], most: number): readonly (readonly string[])[] {
  const batches: string[][] = []
  let room = 0
  for (const text of texts) {
    const last = batches.at(-1)
    if (last === undefined || last.length >= most || text.length > room) {
      batches.push([text])
      room = MOST_CHARACTERS - text.length
      continue
    }
    last.push(text)
    room -= text.length
  }
  return batches
}
