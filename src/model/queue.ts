/** A note for later that waits until someone resolves it. */
export interface QueueItem {
  readonly id: number
  readonly project_id: number
  readonly effort_id: number | null
  /** Such as `observation`, `question` or `follow-up`. */
  readonly kind: string
  readonly content: string
  readonly resolution: string | null
  readonly created_at: string
  readonly resolved_at: string | null
}
