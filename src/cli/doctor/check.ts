import type { Scene } from './scene.ts'

/** How bad it is: what is broken makes doctor fail, a warning does not. */
export type Severity = 'broken' | 'warning'

/** One thing that is wrong. */
export interface Problem {
  readonly detail: string
  /** The one command that mends it. */
  readonly fix: string
}

type Awaitable<T> = T | Promise<T>

/** A small look at one link. */
export interface Check {
  /** Stable: never another meaning, and never reused. */
  readonly code: string
  readonly severity: Severity
  /** What is wrong where it finds something. */
  readonly finds: string
  /** What mends it, as a form of the command. */
  readonly mends: string
  look(scene: Scene): Awaitable<readonly Problem[]>
}

/** Checks of one link, and what is said where all of them find nothing. */
export interface Group {
  readonly name: string
  readonly checks: readonly Check[]
  /** Nothing where it could not be looked at, because of something that another group tells. */
  well(scene: Scene): Awaitable<string | undefined>
}

/** What doctor says about one link. */
export interface Finding {
  readonly check: string
  /** Of a problem; null where all is well. */
  readonly code: string | null
  readonly level: 'ok' | Severity
  /** Not broken. */
  readonly ok: boolean
  readonly detail: string
  readonly fix: string | null
}
