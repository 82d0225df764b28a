/**
 * What the author of a workflow imports from `holdfast/workflow`. It only builds plain data, which
 * `holdfast skill check` judges. This file imports nothing, because it is also the one module that a
 * workflow may import where no other code can be reached.
 */

/** Who does a step for the agent that follows the workflow. */
export type AgentRole =
  | 'quality-reviewer'
  | 'developer'
  | 'technical-writer'
  | 'explore'
  | 'general-purpose'
  | (string & {})

/** How sure an analysis is, from least to most; the usual choices of a state field. */
export type Confidence = 'exploring' | 'low' | 'medium' | 'high' | 'certain'

/** All degrees of confidence, from least to most. */
export const CONFIDENCE: readonly Confidence[] = ['exploring', 'low', 'medium', 'high', 'certain']

/** One way on, whatever happens. */
export type Linear<Id extends string = string> = Id
/** A way on for each outcome; null is the end. */
export type Branch<Id extends string = string> = Readonly<Record<string, Id | null>>
/** The end of the workflow. */
export type Terminal = null
/** Where a step leads. */
export type Routing<Id extends string = string> = Linear<Id> | Branch<Id> | Terminal

/** Where a loop of reviews stands; the store counts, never the command line. */
export interface QRState {
  /** From 1. */
  readonly iteration: number
  readonly failed: boolean
  readonly status: 'pass' | 'fail' | null
}

/** A value that a workflow is given at its start, or keeps while it runs. */
export interface Field {
  readonly type: 'text' | 'number' | 'boolean' | 'choice'
  readonly description?: string
  readonly default?: string | number | boolean
  /** A param must be given at the start, a state value before the end; any other may stay empty. */
  readonly required?: boolean
  readonly min?: number
  readonly max?: number
  readonly choices?: readonly string[]
}

type About = Pick<Field, 'description' | 'required'>

/** The kinds of fields, for `params` and `state`. */
export const param = {
  text: (about: About & { readonly default?: string } = {}): Field => ({ type: 'text', ...about }),
  number: (
    about: About & { readonly default?: number; readonly min?: number; readonly max?: number } = {},
  ): Field => ({ type: 'number', ...about }),
  boolean: (about: About & { readonly default?: boolean } = {}): Field => ({ type: 'boolean', ...about }),
  choice: <const Choice extends string>(
    choices: readonly Choice[],
    about: About & { readonly default?: NoInfer<Choice> } = {},
  ): Field => ({ type: 'choice', choices, ...about }),
}

/** A part of what a step prints, in place among its actions. */
export interface Block {
  readonly block: string
  readonly [field: string]: unknown
}

/** A text of ours, the user, the project or the skill: `conventions/NAME.md`. */
export const convention = (name: string): Block => ({ block: 'convention', name })
/** A text of the skill, the project, the user or ours: `resources/NAME.md`. */
export const resource = (name: string, purpose?: string): Block => ({
  block: 'resource',
  name,
  ...(purpose !== undefined && { purpose }),
})
/** What must not be done in the step. */
export const forbidden = (...actions: readonly string[]): Block => ({ block: 'forbidden', actions })
/** What follows from each result. */
export const routing = (cases: Readonly<Record<string, string>>): Block => ({ block: 'routing', cases })
/** The form of an answer, not where it leads. */
export const expectedOutput = (
  if_pass: string,
  more: { readonly when_issues?: string; readonly categories?: readonly string[] } = {},
): Block => ({ block: 'expected-output', if_pass, ...more })
/** What to ask of the work, to find problems of one category. */
export const detectionQuestions = (
  category: string,
  questions: readonly { readonly id: string; readonly text: string }[],
): Block => ({ block: 'detection-questions', category, questions })
/** What must be there, and what is wrong if it is missing. */
export const checklist = (
  name: string,
  checks: readonly { readonly element: string; readonly criterion: string; readonly if_missing: string }[],
): Block => ({ block: 'checklist', name, checks })
/** A mistake to avoid, and what comes of it. */
export const incorrect = (description: string, consequence: string): Block => ({
  block: 'incorrect',
  description,
  consequence,
})
/** What to do if a condition holds, and if it does not. */
export const conditional = (condition: string, if_true: string, if_false: string): Block => ({
  block: 'conditional',
  condition,
  if_true,
  if_false,
})
/** Where a loop stands; a gate and its review print theirs by themselves. */
export const banner = (
  checkpoint: string,
  iteration: string | number,
  mode: string,
  explanation: readonly string[] = [],
): Block => ({ block: 'banner', checkpoint, iteration: String(iteration), mode, explanation })
/** The model for sub-agents that are no dispatch of the step. */
export const modelSelection = (
  model: string,
  more: { readonly rationale?: string; readonly per_agent?: Readonly<Record<string, string>> } = {},
): Block => ({ block: 'model-selection', model, ...more })
/** The agent that reads it delegates and changes no file itself. */
export const orchestratorConstraint = (): Block => ({ block: 'orchestrator-constraint' })
/** Questions are answered apart from the claim that they check. */
export const factoredVerification = (): Block => ({ block: 'factored-verification' })
/** Questions are open, never answered by yes or no. */
export const openQuestions = (): Block => ({ block: 'open-questions' })
/** How the last message of a reviewer ends. */
export const qrOutput = (): Block => ({ block: 'qr-output' })

/** Sub-agents that do a step. Each runs a workflow of its own, or works freely by the instruction. */
export interface Dispatch {
  readonly agent: AgentRole
  /** The name of a workflow in `workflows`; without it, the sub-agent works freely. */
  readonly workflow?: string
  /** How many, or the name of the number in params or state that says so; with `each`, as many as it has. */
  readonly count?: number | string
  /** How many of them must succeed: all unless said. */
  readonly join?: 'all' | 'any' | number
  readonly instruction?: string
  /** What each sub-agent must be told, by name; templates are filled. */
  readonly vars?: Readonly<Record<string, string>>
  readonly model?: 'haiku' | 'sonnet' | 'opus' | (string & {})
  /** State of the workflow that the sub-agent runs, which becomes state of this one. */
  readonly returns?: readonly string[]
  readonly each?: readonly { readonly id: string; readonly title: string; readonly task: string }[]
}

/** The sub-agents of a step, by the name of their kind of agent. */
export const dispatch = (agent: AgentRole, more: Omit<Dispatch, 'agent'> = {}): Dispatch => ({
  agent,
  ...more,
})

/** A value of params or state, as a step compares it. */
export type Value = string | number | boolean

/** An outcome that values of params and state decide; without `when`, the one for all others. */
export interface Deciding {
  readonly when?: Readonly<Record<string, Value | readonly Value[]>>
  readonly outcome: string
}

/** A step as an author writes it. */
export interface StepOptions<
  Id extends string = string,
  Target extends string = string,
  Next extends Routing = Routing<Target>,
  When extends Readonly<Record<string, Value>> = Readonly<Record<string, Value>>,
  Decides extends readonly Deciding[] = readonly Deciding[],
> {
  readonly id: Id
  readonly title: string
  /** Its stage of the work, for display. */
  readonly phase?: string
  /** What to do: lines, with `{{name}}` for values of params and state, and blocks. */
  readonly actions?: readonly (string | Block)[]
  /** The step after it, a step for each outcome, or null for the end. */
  readonly next?: Next
  /** Where every outcome leads that is neither ok nor mapped. */
  readonly onError?: Target
  /** How often it may be entered, and where the work goes on then; it parks unless said. */
  readonly limit?: number
  readonly onLimit?: Target
  /** The values that include it; otherwise the workflow leaves it out. */
  readonly when?: When
  /** Which outcome the values lead to; the first that fits counts, and the agent cannot choose another. */
  readonly decides?: Decides
  readonly dispatch?: Dispatch
  /** A command that `holdfast step` runs itself, with JSON in and out: `{"outcome": "ok", "state": {}}`. */
  readonly run?: string
  /** Fields that must be shown to leave it. */
  readonly proof?: readonly string[]
  readonly consumes?: readonly string[]
  readonly produces?: readonly string[]
  readonly optional?: boolean
  readonly only?: 'full' | 'quick'
  readonly writes?: readonly string[]
}

declare const LEADS: unique symbol
declare const USES: unique symbol

/** A step of a workflow; made by `step` and `gate`. */
export interface Step<
  Id extends string = string,
  Target extends string = string,
  Name extends string = string,
> extends StepOptions<Id> {
  readonly review?: { readonly name: string; readonly gate: string }
  readonly gate?: {
    readonly name: string
    readonly review: string
    readonly work: string
    readonly message: string
    readonly fix: string
  }
  /** Only for the compiler: the steps that it leads to, and the values that it uses. */
  readonly [LEADS]?: Target
  readonly [USES]?: Name
}

type TargetOf<Next> = Next extends string ? Next : Extract<Next[keyof Next], string>
/** Nothing was written if any name fits. */
type NameOf<When> = string extends keyof When ? never : Extract<keyof When, string>
type NamesOf<Decides extends readonly Deciding[]> = {
  [At in keyof Decides]: NameOf<NonNullable<Decides[At]['when']>>
}[number]

/** One step of a workflow, such as `step({ id: 'build', title: 'Build', next: 'check' })`. */
export const step = <
  const Id extends string,
  const Next extends Routing = null,
  const Other extends string = never,
  const When extends Readonly<Record<string, Value>> = Readonly<Record<string, Value>>,
  const Decides extends readonly Deciding[] = readonly [],
>(
  options: StepOptions<Id, Other, Next, When, Decides>,
): Step<NoInfer<Id>, NoInfer<TargetOf<Next> | Other>, NoInfer<NameOf<When> | NamesOf<Decides>>> => options

/** How often a review may fail before the user decides. */
export const QR_LIMIT = 5

/** What each review returns: its result, and where its report is. */
const GATE_STATE = { result: param.choice(['pass', 'fail']), report: param.text() }

/** The state of the workflow of a reviewer. */
export const REVIEW_STATE = {
  result: param.choice(['pass', 'fail'], { required: true, description: 'Whether a finding blocks.' }),
  report: param.text({ required: true, description: 'The path of the report.' }),
}

/** The last step of the workflow of a reviewer: its findings become `NAME-EFFORT.md` in the folder of the task. */
export const reviewReport = (name: string): Step<'report', never, never> =>
  step({
    id: 'report',
    title: 'Write the report',
    actions: [
      'Give each candidate its category, and by it its severity. Drop what has no quotation or no consequence.',
      convention('severity'),
      'Your prompt names the severities that block in this round (QR_BLOCKING_SEVERITIES). If it does not, all three block.',
      `Write the report to a new file {{task}}/${name}-{{effort}}.md. Do not open the reports beside it. Its form:`,
      resource('review-format', 'The form of the report'),
      'The command that ends this step takes the result (fail if at least one finding blocks, else pass) and the path of the report.',
      qrOutput(),
      'Done when: the file exists, every finding in it has all its parts, and result and findings agree.',
    ],
    next: null,
  })

/** A review and the gate behind it. Each round is a fresh review; a failure leads back to the work. */
export interface GateConfig<Id extends string = string, Target extends string = string> {
  readonly id: Id
  /** What is reviewed, such as `Plan completeness`. */
  readonly name: string
  readonly phase?: string
  /** The step whose work is reviewed, and done again after a failure. */
  readonly work: Target
  /** Where a pass leads; null is the end. */
  readonly pass: Target | null
  /** The reviewer: its workflow returns the state `result` (pass or fail) and `report` (a path). */
  readonly review: Dispatch
  /** What is said after a pass. */
  readonly message?: string
  /** Who fixes what was found: the agent itself, or a kind of agent. */
  readonly fix?: 'self' | AgentRole
  readonly actions?: readonly (string | Block)[]
}

/** The two steps of a review: `ID` dispatches it, `ID-gate` routes by it. Spread them into the steps. */
export function gate<const Id extends string, const Target extends string>({
  id,
  name,
  phase,
  work,
  pass,
  review,
  message = `${name} passed.`,
  fix = 'self',
  actions = [],
}: GateConfig<Id, Target>): readonly [
  Step<NoInfer<Id>, `${NoInfer<Id>}-gate`, never>,
  Step<`${NoInfer<Id>}-gate`, NoInfer<Target>, never>,
] {
  const at = `${id}-gate` as const
  const about = phase === undefined ? {} : { phase }
  const returns = [...new Set([...Object.keys(GATE_STATE), ...(review.returns ?? [])])]
  const dispatched = { ...review, returns }
  return [
    {
      ...about,
      id,
      title: `${name}: review`,
      actions,
      dispatch: dispatched,
      review: { name, gate: at },
      next: at,
    },
    {
      ...about,
      id: at,
      title: `${name} Gate`,
      gate: { name, review: id, work, message, fix },
      decides: [{ when: { result: 'pass' }, outcome: 'pass' }, { outcome: 'fail' }],
      next: { pass, fail: work },
    },
  ]
}

type IdIn<Steps extends readonly Step[]> = Steps[number]['id']

/** The steps, if every target is a step and every value is declared; else what is wrong. */
type Checked<Steps extends readonly Step[], Name extends string> = {
  readonly [At in keyof Steps]: Steps[At] extends Step<infer Id, infer Target, infer Used>
    ? Stray<Target, IdIn<Steps>> extends infer Lost extends string
      ? [Lost] extends [never]
        ? [Stray<Used, Name>] extends [never]
          ? unknown
          : `${Id} uses ${Stray<Used, Name>}, which neither params nor state declares`
        : `${Id} leads to ${Lost}, which is no step`
      : never
    : never
}

/** A name that was computed is any string to the compiler; the check knows it. */
type Stray<Used extends string, Known extends string> = string extends Used ? never : Exclude<Used, Known>

type Fields = Readonly<Record<string, Field>>

/** What a workflow says besides its steps. */
export interface WorkflowOptions<
  Id extends string = string,
  Params extends Fields = Fields,
  State extends Fields = Fields,
> {
  readonly description?: string
  /** The step to begin with: the first unless said. */
  readonly entry?: Id
  /** `first`: its first step must be printed before the agent explores anything. */
  readonly activate?: 'first'
  readonly format?: 'xml' | 'text'
  /** What it is given at its start. */
  readonly params?: Params
  /** What it keeps while it runs. */
  readonly state?: State
  /** The workflows that sub-agents run, by name. */
  readonly workflows?: Readonly<Record<string, Workflow>>
}

/** A workflow as plain data. */
export interface Workflow extends WorkflowOptions {
  readonly name: string
  readonly steps: readonly Step[]
}

/**
 * A workflow of steps. A target that is no step and a value that is not declared do not compile.
 *
 * @example
 * export default workflow('release', [
 *   step({ id: 'build', title: 'Build', actions: ['Build version {{version}}.'], next: 'check' }),
 *   step({ id: 'check', title: 'Check', actions: ['Run the tests.'], next: { ok: null, fail: 'build' } }),
 * ], { params: { version: param.text({ required: true }) } })
 */
export function workflow<
  const Steps extends readonly Step[],
  const Params extends Fields,
  const State extends Fields,
>(
  name: string,
  steps: Steps & Checked<Steps, NameOf<Params> | NameOf<State> | keyof typeof GATE_STATE>,
  options: WorkflowOptions<NoInfer<IdIn<Steps>>, Params, State> = {},
): Workflow {
  const gates = steps.flatMap(({ gate: one }) => one ?? [])
  const limited = steps.map((one) =>
    one.limit === undefined && gates.some(({ work }) => work === one.id) ? { ...one, limit: QR_LIMIT } : one,
  )
  const state = gates.length === 0 ? options.state : { ...GATE_STATE, ...options.state }
  return { format: 'xml', ...options, ...(state !== undefined && { state }), name, steps: limited }
}
