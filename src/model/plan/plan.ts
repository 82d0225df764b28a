import type { Place } from '../diagnostic.ts'
import type { Demands } from './evidence.ts'

/** Artifacts that exist from the start. */
export const ROOT_ARTIFACTS: readonly string[] = ['user-request']

/** True if an artifact exists without a step that produces it. */
export const isBrought = ({ inputs = [] }: Pick<Plan, 'inputs'>, artifact: string): boolean =>
  ROOT_ARTIFACTS.includes(artifact) || inputs.includes(artifact)

/** The outcome that matches every unnamed one. */
export const ANY_OUTCOME = '_default'

/** One node of a plan, with an opaque id and a label; list order is plan order. */
export interface Step {
  readonly id: string
  readonly label: string
  readonly title: string
  /** Its stage of the work, for display. */
  readonly phase?: string
  /** Instructions for the agent: plain lines and, in a workflow, blocks. */
  readonly actions?: readonly (string | Block)[]
  readonly optional: boolean
  readonly consumes: readonly string[]
  readonly produces: readonly string[]
  /**
   * The targets of each outcome: one step, a choice of several, or an empty list for the end of the plan. Without it,
   * artifacts decide: the step may start once its inputs exist.
   */
  readonly next?: Readonly<Record<string, readonly string[]>>
  readonly onError?: string
  /** How often the step may be entered. */
  readonly limit?: number
  /** The step to continue with once the limit is reached; without it, the plan is parked. */
  readonly onLimit?: string
  /** Patterns of project files that may change only once this step has been reached. */
  readonly writes?: readonly string[]
  /** The sub-agents that do the step, and how many of them must succeed. */
  readonly dispatch?: Dispatch
  /** The values of variables that include the step; otherwise it is left out. */
  readonly when?: Readonly<Record<string, string>>
  /** Proof fields required to leave it. */
  readonly proof: readonly string[]
  /** What a pipeline step runs. */
  readonly runs?: Run
  /** The condition for a pipeline step to be complete. */
  readonly verify?: Verify
  /** The only mode that includes it. */
  readonly only?: 'full' | 'quick'
  /** Which outcome the values of variables lead to; the first that fits counts, and the agent cannot choose another. */
  readonly decides?: readonly Deciding[]
  /** Set for a step of a workflow that has its work reviewed. */
  readonly review?: Review
  /** Set for a step of a workflow that routes by its review. */
  readonly gate?: Gate
  /** A command that the CLI runs, with JSON in and out. */
  readonly run?: string
  /** Who does a step of a runbook; its orchestrator says how it ended, so that no other report counts. */
  readonly hands?: Hands
  readonly fanOut?: readonly string[]
  readonly place: Place
}

/** The param with which a workflow learns the number of the sub-agent that runs it. */
export const CHILD_PARAM = 'child'

/** How many sub-agents do a step, and how many of them must succeed; a workflow also says who they are. */
export interface Dispatch {
  readonly count: number
  /** The number in params or state that says how many; `count` is the most, until it is known. */
  readonly countOf?: string
  readonly join: number
  /** The kind of agent, such as developer. */
  readonly agent?: string
  /** The workflow that each sub-agent runs; without one, it works freely. */
  readonly workflow?: string
  /** What each sub-agent must be told, by name. */
  readonly vars?: Readonly<Record<string, string>>
  readonly model?: string
  readonly instruction?: string
  /** State of the workflow that the sub-agent runs, which becomes state of this one. */
  readonly returns?: readonly string[]
  /** Sub-agents with tasks of their own. */
  readonly each?: readonly { readonly id: string; readonly title: string; readonly task: string }[]
}

/** Whom a runbook gives a step to. */
export interface Hands {
  readonly agent: string
  /** The model of each try; the last one counts for all later ones. */
  readonly models: readonly string[]
  /** How many turns the sub-agent has. */
  readonly turns: number
  /** Where the sub-agent writes its report, relative to the root of the project. */
  readonly report: string
  /** The file that says what to do, relative to the root; without it, the actions of the step do. */
  readonly file?: string
}

/** A part of what a workflow prints, named after its formatter, with its fields. */
export interface Block {
  readonly block: string
  readonly [field: string]: unknown
}

/** An outcome that some values decide; without values, it is the one for all others. */
export interface Deciding {
  readonly when?: Readonly<Record<string, string | readonly string[]>>
  readonly outcome: string
}

/** A review of earlier work, and the gate that routes by it. */
export interface Review {
  readonly name: string
  readonly gate: string
}

/** Where a review leads; the review decides, not the agent. */
export interface Gate {
  readonly name: string
  /** The step that reviews. */
  readonly review: string
  /** The step that is done again after a failure. */
  readonly work: string
  /** What is said after a pass. */
  readonly message: string
  /** Who fixes what the review found: the orchestrator itself, or a kind of agent. */
  readonly fix: string
}

/** A value that a workflow is given at its start, or keeps while it runs. */
export interface Field {
  readonly type: 'text' | 'number' | 'boolean' | 'choice'
  readonly description?: string
  readonly default?: string
  readonly required?: boolean
  readonly min?: number
  readonly max?: number
  readonly choices?: readonly string[]
}

/** The task of a pipeline step: call a skill, run a command or follow a prompt; `own` is a command that the CLI runs itself. */
export type Run =
  | { readonly kind: 'skill'; readonly name: string; readonly args: string }
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'prompt'; readonly prompt: string }
  | { readonly kind: 'own'; readonly command: string }

/** A condition that the agent must confirm in words, a file that must exist, or a command of the CLI that must pass. */
export type Verify =
  | { readonly kind: 'shown'; readonly condition: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'command'; readonly condition: string; readonly command: string }

/** The plan of a skill, always one graph. */
export interface Plan {
  readonly notation: 'phases' | 'steps' | 'workflow' | 'runbook' | 'series'
  /** An explicit plan can refuse; an inferred one only advises. */
  readonly explicit: boolean
  /** Whether a step is done once read, or once its artifacts are recorded. */
  readonly gate: 'visited' | 'produced'
  /** The first steps; empty if artifacts decide. */
  readonly entry: readonly string[]
  readonly steps: readonly Step[]
  /** Evidence requirements beyond a claim. */
  readonly demands?: Demands
  /** Artifacts that the user brings, besides the request. */
  readonly inputs?: readonly string[]
  /** Variables of guards, commands and covered files, with their defaults. */
  readonly variables?: Readonly<Record<string, string>>
  /** Variables that the user sets by words of the call, such as `--dry-run`. */
  readonly flags?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Values that a workflow is given at its start, and values that it keeps while it runs; both are variables. */
  readonly params?: Readonly<Record<string, Field>>
  readonly state?: Readonly<Record<string, Field>>
  /** Set if the first step must be printed before anything else is done. */
  readonly activate?: 'first'
  /** The form in which steps of a workflow are printed. */
  readonly format?: 'xml' | 'text'
  /** The workflows that sub-agents of this one run, by name. */
  readonly workflows?: Readonly<Record<string, Plan>>
  /** The texts that steps name, as they were when the workflow was trusted: `convention temporal`, `resource plan-format`. */
  readonly texts?: Readonly<Record<string, string>>
  /** Set if a turn must not end while something is open. */
  readonly hold?: 'stop'
  /** The runbook that the plan was made of, with its folder relative to the root of the project. */
  readonly runbook?: { readonly name: string; readonly folder: string }
  /** Steps with faults, and those that depend on them: the plan only advises about them. */
  readonly faulty?: readonly string[]
  /** Set if the skill no longer has a heading or file that the plan names, so that the plan only guides. */
  readonly unfit?: true
  /** Steps that the mode or the variables of an effort leave out of its plan. */
  readonly leftOut?: readonly Step[]
}

/** The most steps of a plan: real ones have at most 36, and each answer of a hook looks at all of them. */
export const MOST_STEPS = 500

/** True if a plan was only guessed from headings or a list: it is a guide, and a call of it is no effort. */
export const isGuide = (plan: Plan | undefined): boolean =>
  plan?.explicit === false && plan.notation !== 'steps'

/** True if `holdfast step` prints the steps of a plan one by one, each with the commands that go on. */
export const isPrinted = ({ format }: Plan): boolean => format !== undefined

/** A pipeline is a plan whose steps each run something. */
export const isPipeline = (plan: Plan): boolean => plan.steps.some(({ runs }) => runs !== undefined)

/** The command that the CLI runs as a step. */
export const commandOf = ({ run, runs }: Pick<Step, 'run' | 'runs'>): string | undefined =>
  run ?? (runs?.kind === 'own' ? runs.command : undefined)

/** The command by which the CLI checks a step that was reported as done. */
export const checkOf = ({ verify }: Pick<Step, 'verify'>): string | undefined =>
  verify?.kind === 'command' ? verify.command : undefined

/** A table of a plan, made once: every move asks it many times, and a plan never changes. */
export function oncePerPlan<T extends object>(make: (plan: Plan) => T): (plan: Plan) => T {
  const tables = new WeakMap<Plan, T>()
  return (plan) => {
    const table = tables.get(plan) ?? make(plan)
    tables.set(plan, table)
    return table
  }
}

/** The steps by id; the first of two with the same id counts. */
export const stepsById = oncePerPlan(
  ({ steps }): ReadonlyMap<string, Step> => new Map(steps.toReversed().map((step) => [step.id, step])),
)

/** The steps that produce each artifact, in plan order. */
export const producersIn = oncePerPlan(({ steps }): ReadonlyMap<string, readonly Step[]> =>
  byNames(steps, ({ produces }) => produces),
)

/** The steps that need each artifact, in plan order. */
export const consumersIn = oncePerPlan(({ steps }): ReadonlyMap<string, readonly Step[]> =>
  byNames(steps, ({ consumes }) => consumes),
)

function byNames(
  steps: readonly Step[],
  namesOf: (step: Step) => readonly string[],
): ReadonlyMap<string, readonly Step[]> {
  const pairs = steps.flatMap((step) => namesOf(step).map((name) => ({ name, step })))
  return new Map(
    [...Map.groupBy(pairs, ({ name }) => name)].map(([name, rows]) => [name, rows.map(({ step }) => step)]),
  )
}

export const stepOf = (plan: Plan, id: string): Step | undefined => stepsById(plan).get(id)

/** True if nothing but optional steps lies before the end. */
export function mayEnd(plan: Plan, targets: readonly string[]): boolean {
  const seen = new Set<string>()
  const waiting = [targets]
  for (let ids = waiting.pop(); ids !== undefined; ids = waiting.pop()) {
    if (ids.length === 0) return true
    for (const id of ids) {
      const step = stepOf(plan, id)
      if (seen.has(id) || step?.optional !== true) continue
      seen.add(id)
      waiting.push(step.next?.['skip'] ?? step.next?.['ok'] ?? [])
    }
  }
  return false
}

/** All steps that a step may lead to. */
export const targetsOf = (step: Step): readonly string[] => [
  ...new Set([
    ...Object.values(step.next ?? {}).flat(),
    ...(step.onError === undefined ? [] : [step.onError]),
    ...(step.onLimit === undefined ? [] : [step.onLimit]),
  ]),
]
