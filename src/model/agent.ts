/** A worker's identity. It owns at most one active effort. */
export interface Agent {
  readonly id: string
  readonly label: string | null
  readonly claims: readonly string[]
  readonly effort_id: number | null
}
