import type { Change } from '../model/change.ts'
import type { HookEvent } from '../model/event.ts'
import type { Fact, Facts, FactsFor, Wakes } from './facts.ts'

/** What one rule has to say. Saying nothing is allowing. */
export interface Verdict {
  /** Says what is missing and what to do about it. */
  readonly block?: {
    readonly reason: string
    readonly skill: string
    /** Where it is a step of the plan that may not begin yet. */
    readonly step?: string
    /** Where it is a phase that may not be entered yet. */
    readonly phase?: string
    readonly effort: number | undefined
  }
  readonly contexts?: readonly string[]
  readonly notice?: string
  readonly changes?: readonly Change[]
  /** Whether to tell, once the changes are made, where the work of the session stands. */
  readonly tellsStanding?: boolean
}

/** A rule that asks for some facts by name. Pure: it looks at an event and facts, and never does anything. */
interface RuleWith<Need extends Fact> {
  readonly name: string
  readonly summary: string
  /** The kinds of events that it is about. */
  readonly on: readonly HookEvent['kind'][]
  /** Whether it also hears what sub-agents do, which is not the main thread's. */
  readonly hearsSubagents?: true
  /** Whether it may have something to say; asked of every event of these kinds, so it must be cheap. */
  readonly wakes: Wakes
  /** What must be loaded before it is asked. */
  readonly needs: readonly Need[]
  judge(event: HookEvent, facts: FactsFor<Need>): Verdict | undefined
}

/** Any rule, as it is asked: with all facts that it needs. */
export interface Rule extends RuleWith<Fact> {
  judge(event: HookEvent, facts: Facts): Verdict | undefined
}

/** Defines a rule; one that looks at a fact which it does not need does not compile. */
export const rule = <const Need extends Fact>(definition: RuleWith<Need>): Rule => definition
