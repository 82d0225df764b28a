import type { SettingName } from '../model/config.ts'
import type { Change } from '../model/change.ts'
import type { OurWords } from '../model/door.ts'
import type { HookEvent } from '../model/event.ts'
import type { Fact, Facts, FactsFor, Wakes } from './facts.ts'

/** Whether a chain begins, or its next skill was called. */
export type ToldChain = 'begun' | 'called'

/** The answer of one rule. No answer allows the event. */
export interface Verdict {
  /** The reason says what is missing and what to do next. */
  readonly block?: {
    readonly reason: string
    readonly skill: string
    /** Set if a step of the plan may not start yet. */
    readonly step?: string
    /** Set if a phase may not be entered yet. */
    readonly phase?: string
    /** Set if a turn may not end yet. */
    readonly turn?: true
    readonly effort: number | undefined
  }
  /** A question for the user, who alone may allow the call. */
  readonly ask?: {
    readonly question: string
    readonly call: string
    readonly doors: readonly OurWords[]
    /** Files that the call would change or read. */
    readonly files: readonly string[]
  }
  readonly contexts?: readonly string[]
  readonly notice?: string
  readonly changes?: readonly Change[]
  /** Adds the state of the work once the changes are applied. */
  readonly tellsStanding?: boolean
  /** Adds the chain of the session once the changes are applied. */
  readonly tellsChain?: ToldChain
}

/** A rule that needs some facts by name. Pure: it reads an event and facts, and has no effects. */
interface RuleWith<Need extends Fact> {
  readonly name: string
  readonly summary: string
  /** The kinds of events that it handles. */
  readonly on: readonly HookEvent['kind'][]
  /** The setting that switches it off. */
  readonly setting?: SettingName
  /** Set if it also handles events of sub-agents. */
  readonly hearsSubagents?: true
  /** True if it may answer. Runs for every event of these kinds, so it must be cheap. */
  readonly wakes: Wakes
  /** The facts to load before it runs. */
  readonly needs: readonly Need[]
  judge(event: HookEvent, facts: FactsFor<Need>): Verdict | undefined
}

/** Any rule, as the judge runs it: with all facts. */
export interface Rule extends RuleWith<Fact> {
  judge(event: HookEvent, facts: Facts): Verdict | undefined
}

/** Defines a rule. A rule that reads a fact missing from `needs` does not compile. */
export const rule = <const Need extends Fact>(definition: RuleWith<Need>): Rule => definition
