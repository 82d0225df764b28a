import { AiFailure } from './failure.ts'

/** The vectors of an answer with length 1; rejects an answer with other counts or dimensions than asked for. */
export function checkedVectors(
  who: string,
  found: readonly unknown[],
  { count, dims }: { readonly count: number; readonly dims: number | undefined },
): readonly Float32Array[] {
  const wrong = (what: string) => new AiFailure('unavailable', `${who} sent ${what}.`)
  if (found.length !== count) throw wrong(`${found.length} vectors for ${count} texts`)
  const vectors = found.map((one) => {
    if (!isNumbers(one)) throw wrong('a vector that is no list of numbers')
    const vector = normalized(one)
    if (vector === undefined) throw wrong('a vector without a direction')
    return vector
  })
  const wanted = dims ?? vectors[0]?.length ?? 0
  const other = vectors.find(({ length }) => length !== wanted)
  if (other !== undefined) throw wrong(`a vector of ${other.length} dimensions instead of ${wanted}`)
  return vectors
}

const MOST_DIMS = 8192

const isNumbers = (value: unknown): value is readonly number[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= MOST_DIMS &&
  value.every((one) => typeof one === 'number' && Number.isFinite(one))

/** With length 1, because some models do not normalize shortened vectors; undefined for zeros. */
function normalized(values: readonly number[]): Float32Array | undefined {
  let squares = 0
  for (const one of values) squares += one * one
  const length = Math.sqrt(squares)
  return length > 0 && Number.isFinite(length) ? Float32Array.from(values, (one) => one / length) : undefined
}
