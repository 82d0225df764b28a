/**
 * What we claim for a way to a file. `enforced`: refused as long as it must be. `advised`: not refused, but the agent
 * is told. `observed`: let through, and the ledger says so. `unseen`: nobody knows of it.
 */
export const CLAIMS = ['enforced', 'advised', 'observed', 'unseen'] as const

export type Claim = (typeof CLAIMS)[number]

/** A step file, or one that is written, as a route names it. */
export interface Target {
  readonly project: string
  readonly file: string
  /** Below the project. */
  readonly relative: string
  readonly name: string
  readonly steps: string
  readonly skill: string
  readonly skills: string
}

/** A way by which the text of a step can come to an agent, or by which it can write a file. */
export interface Route {
  readonly what: string
  readonly claim: Claim
  /** How it is shown; FILE, FOLDER or STEPS, and SKILL stand for the file, its folder and the folder of the skill. */
  readonly examples: readonly string[]
  readonly why?: string
  /** Has no turn of its own: all steps are read at once, or somebody else reads them. */
  readonly whole?: true
  /** The user's prompt brings it in; else a tool call does. */
  readonly isPrompt?: true
  /** What the client reports, once for each example: the fields of that prompt or tool call, in its own form. */
  readonly payloads: (target: Target) => readonly Readonly<Record<string, unknown>>[]
}

/** The known ways in one client, with what we claim of each; tests run every example. */
export interface Routes {
  /** To the text of a step. */
  readonly reads: readonly Route[]
  /** To write a file. */
  readonly writes: readonly Route[]
}
