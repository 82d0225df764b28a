/** A part of a client session in which one skill is in charge. */
export interface Span {
  readonly span_id: string
  readonly skill: string
  /** The span of the skill that called this one. */
  readonly parent_span_id: string | null
  readonly status: 'active' | 'suspended' | 'completed'
  readonly first_step: string | null
  readonly last_step: string | null
  readonly steps: readonly string[]
  readonly started_at: string
  readonly suspended_at: string | null
  readonly completed_at: string | null
  /** The client's session id, which survives a compaction. */
  readonly session_id: string | null
  readonly effort_id: number | null
}
