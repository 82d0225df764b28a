import type { Block, Dispatch } from '../plan/plan.ts'

/** A step of a workflow as its caller needs it: what to do, and the exact commands that go on. Templates are filled. */
export interface StepView {
  readonly effort_id: number
  /** The skill, or `skill/workflow` for the workflow of a sub-agent. */
  readonly skill: string
  readonly format: 'xml' | 'text'
  readonly step: string
  /** Its place in the plan, from 1; completion never depends on it. */
  readonly number: number
  readonly total: number
  readonly title: string
  readonly phase: string | null
  /** How often the step was entered. */
  readonly visit: number
  readonly limit: number | null
  readonly actions: readonly (string | Block)[]
  /** The texts that it names. */
  readonly texts: readonly NamedText[]
  /** The command that Holdfast runs for it, and why that failed last; null if the caller does it. */
  readonly run: { readonly command: string; readonly failed: string | null } | null
  /** The sub-agents that do it, each with its command; null if the caller does it itself. */
  readonly dispatch: DispatchView | null
  readonly review: ReviewView | null
  readonly gate: GateView | null
  /** What the sub-agents of the step before returned. */
  readonly results: readonly ChildResult[]
  /** The ways on, success first; empty if the step cannot be left now. */
  readonly next: readonly Way[]
  /** The command that prints this step again, with its ways on once it can be left. */
  readonly again: string
}

/** A convention or a resource, with its text. */
export interface NamedText {
  readonly kind: 'convention' | 'resource'
  readonly name: string
  readonly text: string
}

/** One way to go on: the outcome, the exact command, and where it leads; null is the end. */
export interface Way {
  readonly outcome: string
  readonly command: string
  readonly to: string | null
}

/** The sub-agents of a step, with what each has done. */
export interface DispatchView extends Omit<Dispatch, 'each'> {
  readonly children: readonly ChildView[]
}

/** One sub-agent of a step; without a command it works freely. */
export interface ChildView {
  readonly child: number
  readonly title: string | null
  readonly task: string | null
  readonly command: string | null
  readonly state: 'waiting' | 'running' | 'ok' | 'fail'
  /** How its caller reports it by hand, if it has not ended: one that works freely, or one that is given up. */
  readonly report?: { readonly done?: string; readonly fail: string }
}

/** How a sub-agent of the step before ended, and what it returned. */
export interface ChildResult {
  readonly child: number
  readonly outcome: 'ok' | 'fail'
  /** The state that it returned, by name. */
  readonly values: Readonly<Record<string, string>>
}

/** Where a loop of reviews stands; kept by the store, never by the command line. */
export interface QRState {
  /** From 1. */
  readonly iteration: number
  /** Set if the work is done again because a review failed. */
  readonly failed: boolean
  readonly status: 'pass' | 'fail' | null
}

/** A review, for the step that does it or that fixes its findings. */
export interface ReviewView {
  readonly name: string
  readonly qr: QRState
  /** How many rounds there may be before the user decides; null without a limit. */
  readonly rounds: number | null
  /** The severities that block in this round. */
  readonly blocking: readonly Severity[]
  /** Where the report of the last failed review is. The fixer reads it; an orchestrator only passes on its path. */
  readonly report: string | null
  /** Who fixes what the review found: `self`, or a kind of agent. */
  readonly fix: string
}

/** A gate that has decided, or waits for its review. */
export interface GateView extends ReviewView {
  readonly message: string
  /** Set if the rounds are used up: each choice of the user with its command. */
  readonly choices: readonly { readonly label: string; readonly command: string }[]
}

/** How much a finding matters, most first. */
export type Severity = 'MUST' | 'SHOULD' | 'COULD'
