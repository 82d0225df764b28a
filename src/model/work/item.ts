/** What a body of work may hold, so that one file cannot fill the database. */
export const MOST_ITEMS = 20_000
export const MOST_ADDED = 500
export const MOST_BLOCKERS = 100

/** How often an item is tried unless it says otherwise. */
export const USUAL_LIMIT = 2

/** The skill that efforts for bodies of work carry; no skill of the user is read for them. */
export const WORK_SKILL = 'work'

/** What an item is called in commands; it also becomes a part of the name of a branch. */
export const ITEM_ID = /^[\p{L}\p{N}](?:[\p{L}\p{N}_-]|\.(?=[\p{L}\p{N}_-]))*$/u

/** Where an item stands; only `taken` has a lease. */
export const ITEM_STATES = ['waiting', 'open', 'taken', 'done', 'failed', 'blocked'] as const
export type ItemState = (typeof ITEM_STATES)[number]

/** How a worker says that its item ended; `released` gives it back untried. */
export const ITEM_OUTCOMES = ['done', 'failed', 'blocked', 'released'] as const
export type ItemOutcome = (typeof ITEM_OUTCOMES)[number]

/** An item as somebody writes it down. */
export interface ItemDraft {
  /** Left out, it gets the next number. */
  readonly item?: string | undefined
  readonly title: string
  /** What its worker is told; left out, the title says it all. */
  readonly prompt?: string | undefined
  /** The skill that its worker calls with the prompt. */
  readonly skill?: string | undefined
  readonly phase?: string | undefined
  /** The files that it is about. */
  readonly files?: readonly string[] | undefined
  readonly blocked_by?: readonly string[] | undefined
  /** Names of results of other items; whoever produces one blocks this item. */
  readonly consumes?: readonly string[] | undefined
  readonly produces?: readonly string[] | undefined
  /** How often it is tried. */
  readonly limit?: number | undefined
  readonly model?: string | undefined
  /** The command that must pass on the merged tree. */
  readonly proof?: string | undefined
}

/** One thing to do of a body of work. */
export interface Item {
  readonly item: string
  readonly title: string
  readonly prompt: string | null
  readonly skill: string | null
  readonly phase: string | null
  readonly files: readonly string[]
  readonly blockedBy: readonly string[]
  readonly produces: readonly string[]
  readonly limit: number
  readonly model: string | null
  readonly proof: string | null
}
