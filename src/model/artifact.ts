import type { Rank } from './plan/evidence.ts'

/** What is kept of how an artifact came to be. */
export interface ArtifactEvidence {
  /** Patterns of the files that the record is about. */
  readonly covers?: readonly string[]
  /** What was run for it. */
  readonly command?: string
  readonly exit_code?: number
  readonly duration_ms?: number
  /** The end of what the command said. */
  readonly tail?: string
  /** What the one who recorded it says of it. */
  readonly claim?: Readonly<Record<string, unknown>>
}

/** A named result of an effort, once for each rank that it was recorded with. */
export interface Artifact {
  readonly id: number
  readonly effort_id: number | null
  readonly span_id: string | null
  readonly step: string | null
  readonly name: string
  readonly path: string | null
  readonly rank: Rank
  /** Of the files that it is about, as they were; null where it is about none. */
  readonly digest: string | null
  readonly evidence: ArtifactEvidence
  readonly created_at: string
}
