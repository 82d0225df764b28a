/** A vector of length 1 as signed bytes, which lose next to nothing of a comparison. */
export function toBytes(vector: Float32Array): Int8Array {
  let top = Number.MIN_VALUE
  for (const value of vector) top = Math.max(top, Math.abs(value))
  return Int8Array.from(vector, (value) => Math.round((value / top) * 127))
}

/** How near a stored vector is to one of length 1, from -1 to 1. */
export function similarity(vector: Float32Array, stored: Int8Array): number {
  let [product, squares] = [0, 0]
  for (let at = 0; at < stored.length; at++) {
    const value = stored[at] ?? 0
    product += value * (vector[at] ?? 0)
    squares += value * value
  }
  return squares === 0 ? 0 : product / Math.sqrt(squares)
}

/** The middle of vectors: codes measured from there tell them apart better than from zero. */
export function centerOf(vectors: readonly Float32Array[]): Float32Array | undefined {
  if (vectors.length < FEWEST_FOR_CENTER) return undefined
  const center = new Float32Array(vectors[0]?.length ?? 0)
  for (const vector of vectors)
    for (let at = 0; at < center.length; at++)
      center[at] = (center[at] ?? 0) + (vector[at] ?? 0) / vectors.length
  return center
}

/** Fewer would make a code of what they have in common. */
const FEWEST_FOR_CENTER = 16

/** One bit for each dimension, in whole words of 32 bits. */
export function codeOf(vector: Float32Array, center?: Float32Array): Uint8Array {
  const code = new Uint8Array(Math.ceil(vector.length / 32) * 4)
  for (let at = 0; at < vector.length; at++)
    if ((vector[at] ?? 0) > (center?.[at] ?? 0)) code[at >> 3] = (code[at >> 3] ?? 0) | (1 << (at & 7))
  return code
}

/** The bits of a code as a text of 0 and 1. */
export const bitsOf = (code: Uint8Array): string =>
  Array.from(code, (byte) => byte.toString(2).padStart(8, '0')).join('')

/** A piece in a table of codes. */
export interface Coded {
  readonly piece_id: number
  readonly project_id: number | null
  readonly source_type: string
  readonly code: Uint8Array
}

/** The most memory that codes may take. */
const MOST_BYTES = 128_000_000

/** The codes of a space, for a scan of all of them. */
export class CodeTable {
  readonly #words: number
  #count = 0
  #codes = new Uint32Array(0)
  #pieces = new Float64Array(0)
  #projects = new Float64Array(0)
  #types = new Uint16Array(0)
  readonly #known: string[] = []

  /** For codes of so many bytes. */
  constructor(bytes: number) {
    this.#words = bytes / 4
  }

  /** False if there is no more room. */
  add({ piece_id, project_id, source_type, code }: Coded): boolean {
    if ((this.#count + 1) * (this.#words * 4 + 18) > MOST_BYTES) return false
    if (this.#count === this.#pieces.length) this.#grow()
    const own = new Uint8Array(this.#codes.buffer, this.#count * this.#words * 4, this.#words * 4)
    own.set(code)
    this.#pieces[this.#count] = piece_id
    this.#projects[this.#count] = project_id ?? 0
    this.#types[this.#count] = this.#typeOf(source_type)
    this.#count++
    return true
  }

  /** The pieces whose codes differ least, nearest first. */
  nearest(code: Uint8Array, limit: number, only: Only): readonly number[] {
    const query = new Uint32Array(code.slice().buffer)
    const types = only.source_types?.map((type) => this.#known.indexOf(type))
    // Distances are small whole numbers, so that counting them replaces sorting.
    const counts = new Uint32Array(this.#words * 32 + 1)
    const distances = new Int32Array(this.#count)
    for (let at = 0; at < this.#count; at++) {
      const isOut = only.project_id !== undefined && this.#projects[at] !== only.project_id
      if (isOut || types?.includes(this.#types[at] ?? 0) === false) {
        distances[at] = -1
        continue
      }
      const distance = this.#distance(at * this.#words, query)
      distances[at] = distance
      counts[distance] = (counts[distance] ?? 0) + 1
    }
    return this.#within(distances, radiusOf(counts, limit), limit)
  }

  #distance(from: number, query: Uint32Array): number {
    let distance = 0
    for (let word = 0; word < query.length; word++) {
      let bits = (this.#codes[from + word] ?? 0) ^ (query[word] ?? 0)
      bits -= (bits >>> 1) & 0x55555555
      bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
      distance += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
    }
    return distance
  }

  #within(distances: Int32Array, radius: number, limit: number): readonly number[] {
    const found: { readonly piece: number; readonly distance: number }[] = []
    for (let at = 0; at < distances.length; at++) {
      const distance = distances[at] ?? -1
      if (distance >= 0 && distance <= radius) found.push({ piece: this.#pieces[at] ?? 0, distance })
    }
    return found
      .toSorted((a, b) => a.distance - b.distance || a.piece - b.piece)
      .slice(0, limit)
      .map(({ piece }) => piece)
  }

  #typeOf(source: string): number {
    const known = this.#known.indexOf(source)
    return known === -1 ? this.#known.push(source) - 1 : known
  }

  #grow(): void {
    const room = Math.max(1024, this.#pieces.length * 2)
    this.#codes = grown(this.#codes, new Uint32Array(room * this.#words))
    this.#pieces = grown(this.#pieces, new Float64Array(room))
    this.#projects = grown(this.#projects, new Float64Array(room))
    this.#types = grown(this.#types, new Uint16Array(room))
  }
}

/** What a scan is limited to. */
export interface Only {
  readonly project_id?: number | undefined
  readonly source_types?: readonly string[] | undefined
}

/** The distance within which there are so many. */
function radiusOf(counts: Uint32Array, limit: number): number {
  let sum = 0
  for (const [distance, count] of counts.entries()) {
    sum += count
    if (sum >= limit) return distance
  }
  return counts.length
}

function grown<A extends { set(from: A): void }>(before: A, after: A): A {
  after.set(before)
  return after
}
