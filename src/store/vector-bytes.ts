import { bitsOf, codeOf, toBytes } from '../model/search/codes.ts'
import type { DatabaseKind } from './query.ts'
import type { StoredVector } from './vector.ts'

/** Numbers as they are stored. */
export const bytesOf = (values: Float32Array | Int8Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength)

/** The same, read again; the copy begins where numbers may begin. */
export const numbersIn = (bytes: Uint8Array | null): Float32Array | undefined =>
  bytes === null ? undefined : new Float32Array(Uint8Array.from(bytes).buffer)

/** A vector as a database stores it. */
export function storedVector(
  kind: DatabaseKind,
  vector: Float32Array,
  { digest, center }: { readonly digest: string; readonly center: Float32Array | undefined },
): StoredVector {
  const code = codeOf(vector, center)
  return { digest, code: kind === 'postgres' ? bitsOf(code) : code, vector: bytesOf(toBytes(vector)) }
}
