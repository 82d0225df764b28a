import type { ProofEnvironment } from './environment.ts'
import type { Rank } from './plan/evidence.ts'

/** How an artifact was recorded. */
export interface ArtifactEvidence {
  /** Patterns of the files that the record covers. */
  readonly covers?: readonly string[]
  /** The command that was run. */
  readonly command?: string
  /** Set if the plan wanted it to fail. */
  readonly expect?: 'fail'
  readonly exit_code?: number
  readonly duration_ms?: number
  /** The end of the command's output. */
  readonly tail?: string
  /** The environment that it ran in, if an agent asked for the proof. */
  readonly environment?: ProofEnvironment
  /** A note of the caller. */
  readonly claim?: Readonly<Record<string, unknown>>
}

/** A named result of an effort, once per rank. */
export interface Artifact {
  readonly id: number
  readonly effort_id: number | null
  readonly span_id: string | null
  readonly step: string | null
  readonly name: string
  readonly path: string | null
  readonly rank: Rank
  /** Digest of the covered files at that time; null if it covers none. */
  readonly digest: string | null
  readonly evidence: ArtifactEvidence
  readonly created_at: string
}
