import type { Scene } from './scene.ts'

/** `broken` makes doctor exit with 1; a warning does not. */
export type Severity = 'broken' | 'warning'

/** A problem that a check found. */
export interface Problem {
  readonly detail: string
  /** The command that fixes it. */
  readonly fix: string
}

type Awaitable<T> = T | Promise<T>

/** A check of one part of the installation. */
export interface Check {
  /** Stable: its meaning never changes, and it is never reused. */
  readonly code: string
  readonly severity: Severity
  /** The problem that it finds. */
  readonly finds: string
  /** The pattern of the command that fixes it. */
  readonly mends: string
  look(scene: Scene): Awaitable<readonly Problem[]>
}

/** The checks of one part, and its message if all pass. */
export interface Group {
  readonly name: string
  readonly checks: readonly Check[]
  /** Undefined if another group already reports why it cannot be checked. */
  well(scene: Scene): Awaitable<string | undefined>
}

/** One line of the report. */
export interface Finding {
  readonly check: string
  /** Null if there is no problem. */
  readonly code: string | null
  readonly level: 'ok' | Severity
  /** Not broken. */
  readonly ok: boolean
  readonly detail: string
  readonly fix: string | null
}
