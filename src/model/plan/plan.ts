import type { Place } from '../diagnostic.ts'
import type { Demands } from './evidence.ts'

/** What is there before anything has been done. */
export const ROOT_ARTIFACTS: readonly string[] = ['user-request']

/** The outcome that stands for every one that is not named. */
export const ANY_OUTCOME = '_default'

/** One node of a plan: an opaque id, a label for people, and its place in the list is its order. */
export interface Step {
  readonly id: string
  readonly label: string
  readonly title: string
  /** The stage of the work that it belongs to, for people. */
  readonly phase?: string
  /** What the agent is told to do there. */
  readonly actions?: readonly string[]
  readonly optional: boolean
  readonly consumes: readonly string[]
  readonly produces: readonly string[]
  /**
   * Where each outcome leads: to one step, to the choice of several, or with an empty list to the end of the plan.
   * A step without it is led by artifacts: it may begin when what it consumes is there.
   */
  readonly next?: Readonly<Record<string, readonly string[]>>
  readonly onError?: string
  /** How often the step may be entered. */
  readonly limit?: number
  /** The fields that must be shown to leave it. */
  readonly proof: readonly string[]
  /** What a step of a pipeline runs. */
  readonly runs?: Run
  /** What must be true for a step of a pipeline to count as completed. */
  readonly verify?: Verify
  /** Left out in quick mode, or in full mode. */
  readonly only?: 'full' | 'quick'
  readonly fanOut?: readonly string[]
  readonly place: Place
}

/** What an agent is told to do in a step of a pipeline: call a skill, run a command, or follow a prompt. */
export type Run =
  | { readonly kind: 'skill'; readonly name: string; readonly args: string }
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'prompt'; readonly prompt: string }

/** A condition that somebody must have looked at and say what they saw, or a file that must be there. */
export type Verify =
  | { readonly kind: 'shown'; readonly condition: string }
  | { readonly kind: 'file'; readonly path: string }

/** What a skill says must happen, always one graph. */
export interface Plan {
  readonly notation: 'phases' | 'steps' | 'workflow' | 'runbook' | 'series'
  /** An explicit plan can refuse; an inferred one only advises. */
  readonly explicit: boolean
  /** Whether a step counts as done when it was read, or when its artifacts are recorded with evidence. */
  readonly gate: 'visited' | 'produced'
  /** Where it may begin; nothing where artifacts say it. */
  readonly entry: readonly string[]
  readonly steps: readonly Step[]
  /** Where a word of the agent is not enough. */
  readonly demands?: Demands
}

/** A pipeline is a plan whose steps each run something. */
export const isPipeline = (plan: Plan): boolean => plan.steps.some(({ runs }) => runs !== undefined)

export const stepOf = (plan: Plan, id: string): Step | undefined => plan.steps.find((step) => step.id === id)

/** All steps that a step may lead to. */
export const targetsOf = (step: Step): readonly string[] => [
  ...new Set([
    ...Object.values(step.next ?? {}).flat(),
    ...(step.onError === undefined ? [] : [step.onError]),
  ]),
]

/** The steps by their ids, for whoever looks up many. */
export const stepsById = (plan: Plan): ReadonlyMap<string, Step> =>
  new Map(plan.steps.map((step) => [step.id, step]))
