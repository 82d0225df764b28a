/** What doctor has found out about one link. */
export interface Finding {
  readonly check: string
  readonly ok: boolean
  readonly detail: string
  /** The one command that mends it. */
  readonly fix?: string
}
