import { claudeCodeRoutes } from './claude-code/routes.ts'
import { claudeCodeWriteRoutes } from './claude-code/write-routes.ts'

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
  /** What the client reports, once for each example: a prompt, or a tool call with its name, input and origin. */
  readonly payloads: (target: Target) => readonly Readonly<Record<string, unknown>>[]
}

/** What each client is claimed to do, by its name. A new client is a line here. */
export const routes: ReadonlyMap<string, readonly Route[]> = new Map([['claude-code', claudeCodeRoutes]])

/** The same for writing a file. */
export const writeRoutes: ReadonlyMap<string, readonly Route[]> = new Map([
  ['claude-code', claudeCodeWriteRoutes],
])
