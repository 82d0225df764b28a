import type { Generated } from 'kysely'

/** The vectors of pieces of the index. */
export interface VectorTables {
  spaces: {
    id: Generated<number>
    /** Provider, model, dimensions and prefix scheme. */
    identity: string
    provider: string
    model: string
    /** The dimensions that the config asked for. */
    asked_dims: number | null
    dims: number
    scheme: string
    /** What codes are measured from, as 32-bit numbers. */
    center: Uint8Array | null
    state: 'building' | 'active' | 'retired'
  }
  vectors: {
    id: Generated<number>
    space_id: number
    piece_id: number
    /** The digest of the text that was embedded. */
    digest: string
    /** One bit for each dimension; on PostgreSQL a text of 0 and 1. */
    code: Uint8Array | string
    /** One signed byte for each dimension. */
    vector: Uint8Array
  }
}
