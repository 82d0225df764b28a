/**
 * The claim for one way to a file. `enforced`: refused when required, and counts in its turn. `refused`: refused when
 * required, and never counts. `advised`: allowed with advice. `observed`: allowed and recorded in the ledger.
 * `unseen`: not detected.
 */
export const CLAIMS = ['enforced', 'refused', 'advised', 'observed', 'unseen'] as const

export type Claim = (typeof CLAIMS)[number]

/** The file of a route: a step file, or a file to write. */
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

/** A way to read a step file or to write a file. */
export interface Route {
  readonly what: string
  readonly claim: Claim
  /** The claim at the level strict, if it differs. */
  readonly strict?: Claim
  /** Shown form; FILE, FOLDER or STEPS, and SKILL are placeholders. */
  readonly examples: readonly string[]
  readonly why?: string
  /** Reads all steps at once, or another program reads them. */
  readonly whole?: true
  /** Set if a prompt causes it; otherwise a tool call does. */
  readonly isPrompt?: true
  /** The client's payload fields for each example. */
  readonly payloads: (target: Target) => readonly Readonly<Record<string, unknown>>[]
}

/** Who takes a route: each has a column of its own in the coverage table. */
export const TAKERS = ['main thread', 'sub-agent with a skill', 'other sub-agent'] as const

export type Taker = (typeof TAKERS)[number]

/** The levels that refuse; each has columns of its own in the coverage table. */
export const REFUSING_LEVELS = ['enforce', 'strict'] as const

export type RefusingLevel = (typeof REFUSING_LEVELS)[number]

/** The claim for a route that somebody takes; undefined if the route does not exist there. */
export function claimFor(
  { claim, strict = claim, isPrompt }: Route,
  taker: Taker,
  level: RefusingLevel,
): Claim | undefined {
  const own = level === 'strict' ? strict : claim
  if (taker === 'main thread') return own
  // Users do not prompt sub-agents.
  if (isPrompt === true) return undefined
  if (taker === 'sub-agent with a skill') return own
  if (level === 'enforce') return 'unseen'
  // The plan of its main thread holds it back, and its own reading counts for nobody.
  return own === 'enforced' ? 'refused' : own
}

/** The known ways in one client with their claims; tests run every example. */
export interface Routes {
  /** To the text of a step. */
  readonly reads: readonly Route[]
  /** To write a file. */
  readonly writes: readonly Route[]
  /** To files that hold the rules. `enforced`: the user is asked at enforce; at strict, and by a sub-agent, it is refused. */
  readonly own?: readonly Route[]
  /** The payload fields of a sub-agent's events and of a skill call; undefined if the client has no sub-agents. */
  readonly subagent?: {
    readonly id: string
    readonly fields: Readonly<Record<string, unknown>>
    readonly calls: (skill: string) => Readonly<Record<string, unknown>>
  }
}
