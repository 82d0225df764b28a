import type { Progress } from './advance.ts'
import type { Effort } from '../effort.ts'
import { ownState } from './decided.ts'
import { demandOf, isDemanding } from './evidence.ts'
import { splitPhase } from './phase.ts'
import { type Dispatch, isBrought, isPipeline, isPrinted, type Plan, type Step, stepOf } from './plan.ts'
import { fillTemplate, type OwnValue } from './template.ts'
import { fillVariables } from './variables.ts'

/** What decides which steps of a plan take part. */
export interface Choice {
  readonly mode: string | null
  /** Values of variables; the plan has defaults. */
  readonly variables?: Readonly<Record<string, string>>
  /** Steps that were started; they take part whatever the values are now. */
  readonly begun?: readonly string[]
}

/** The plan without the steps that another mode or an unmet guard leaves out. */
export function planFor(plan: Plan, { mode, variables = {}, begun = [] }: Choice): Plan {
  const values = withDefaults(plan, variables)
  const gone = plan.steps.filter((step) => !begun.includes(step.id) && !takesPart(step, mode, values))
  const part = gone.length === 0 ? plan : { ...gone.reduce(without, plan), leftOut: gone }
  return Object.keys(values).length === 0 ? part : withValues(fillVariables(part, values), values)
}

/** The titles of a workflow are shown in many places, so they have their values from the start; its sub-agents are counted. */
function withValues(plan: Plan, values: Values): Plan {
  if (!isPrinted(plan)) return plan
  const steps = plan.steps.map(({ dispatch, ...step }) => ({
    ...step,
    ...(dispatch !== undefined && { dispatch: countedDispatch(dispatch, values) }),
    title: fillTemplate(step.title, values),
  }))
  return { ...plan, steps }
}

/** Until somebody says how many sub-agents do a step, it is one. */
function countedDispatch(dispatch: Dispatch, values: Values): Dispatch {
  if (dispatch.countOf === undefined) return dispatch
  const said = Math.trunc(Number(values[dispatch.countOf] ?? ''))
  const count = Math.min(dispatch.count, Math.max(1, said))
  return { ...dispatch, count, join: Math.min(dispatch.join, count) }
}

/** The values of all declared variables; one that nobody has set is empty. */
export const withDefaults = ({ variables, params, state }: Plan, given: Values): Values => ({
  ...Object.fromEntries(Object.keys({ ...params, ...state }).map((name) => [name, ''])),
  ...variables,
  ...given,
})

/** What each workflow and pipeline knows of its effort, unless it declares the name itself: the folder of the task, and the number. */
export function ownValues(plan: Plan, { task_id, id }: Pick<Effort, 'task_id' | 'id'>): Values {
  if (!isPrinted(plan) && !isPipeline(plan)) return {}
  const own: Readonly<Record<OwnValue, string>> = { task: task_id, effort: String(id) }
  const declared = { ...plan.variables, ...plan.params, ...plan.state }
  const isFree = ([name]: readonly [string, string]) => !Object.hasOwn(declared, name)
  return Object.fromEntries(Object.entries(own).filter(isFree))
}

/** True if one of these fields of proof sets a variable, so that nobody knows yet what follows. */
export const isDeciding = (
  { variables = {}, steps, leftOut = [] }: Plan,
  fields: readonly string[],
): boolean =>
  [variables, ...[...steps, ...leftOut].map(({ when = {} }) => when)].some((names) =>
    fields.some((field) => Object.hasOwn(names, field)),
  )

/** The step that a word means, if the effort leaves it out. */
export const leftOutAs = (plan: Plan, word: string): Step | undefined =>
  stepCalled({ steps: plan.leftOut ?? [] }, word)

type Fields = Readonly<Record<string, unknown>>

/** Values of variables, by name. */
export type Values = Readonly<Record<string, string>>

/** True if values of variables may change the plan. */
export const hasVariables = ({ variables, params, state, steps }: Plan): boolean =>
  [variables, params, state].some((one) => one !== undefined) || steps.some(({ when }) => when !== undefined)

/** The names that values can be given to: variables, params, and what guards ask for. */
export const settableIn = ({ variables, params, steps, leftOut = [] }: Plan): readonly string[] => [
  ...Object.keys({ ...variables, ...params }),
  ...[...steps, ...leftOut].flatMap(({ when = {} }) => Object.keys(when)),
]

/** The fields that give values to variables of the plan; a claim gives none where the plan demands more. */
export function valuesIn(plan: Plan, fields: Fields): Values {
  const names = settableIn(plan)
  // What a workflow keeps while it runs is not known before.
  return simpleValues(
    plan,
    names.filter((name) => !Object.hasOwn(plan.state ?? {}, name)),
    fields,
  )
}

function simpleValues({ demands }: Plan, names: readonly string[], fields: Fields): Values {
  const given = [...new Set(names)].flatMap((name) => {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined
    const isValue = ['string', 'number', 'boolean'].includes(typeof value)
    return isValue && !isDemanding(demandOf(demands, name)) ? [[name, String(value)] as const] : []
  })
  return Object.fromEntries(given)
}

/** Where an effort stands, in the plan as it is declared and as the effort has it. */
interface Standing {
  readonly declared: Plan | undefined
  readonly plan: Plan | undefined
  readonly progress: Pick<Progress, 'current' | 'open'>
}

/** The step that a word means: its id or its label, as `2` or `2: Build`, or its file. */
export function stepCalled({ steps }: Pick<Plan, 'steps'>, word: string): Step | undefined {
  const { label } = splitPhase(word)
  return (
    steps.find(({ id }) => id === word) ??
    steps.find((step) => step.label === word) ??
    steps.find((step) => step.label === label) ??
    steps.find(({ place }) => place.file !== '' && place.file === word)
  )
}

/** The variables that the proof of the current steps sets, if another step is entered. */
export function valuesToEnter(of: Standing, word: string | undefined, said: Fields): Values {
  const { plan, progress } = of
  const meant = word === undefined || plan === undefined ? undefined : stepCalled(plan, word)?.id
  const stays = word === undefined ? progress.current.length > 0 : progress.current.includes(meant ?? '')
  return stays ? {} : valuesToLeave(of, progress.current, said)
}

/** The variables that the proof of these steps sets; a field that they do not ask for sets none. */
export function valuesToLeave(
  { declared, progress }: Standing,
  leaving: readonly string[],
  said: Fields,
): Values {
  if (declared === undefined) return {}
  const isNow = (id: string) => progress.current.includes(id) || progress.open.includes(id)
  const asked = leaving.filter(isNow).flatMap((id) => stepOf(declared, id)?.proof ?? [])
  const given = asked.flatMap((field) => (Object.hasOwn(said, field) ? [[field, said[field]] as const] : []))
  const fields = Object.fromEntries(given)
  // Params of a workflow stay, and what a review returned is not its caller's to say.
  return isPrinted(declared)
    ? simpleValues(declared, Object.keys(ownState(declared)), fields)
    : valuesIn(declared, fields)
}

function takesPart(
  { only, when = {} }: Step,
  mode: string | null,
  values: Choice['variables'] = {},
): boolean {
  if (only !== undefined && (only === 'quick') !== (mode === 'quick')) return false
  return Object.entries(when).every(([name, value]) => Object.hasOwn(values, name) && values[name] === value)
}

/** Steps that led to it now lead to its followers; consumers of its products now need its inputs. */
function without(plan: Plan, gone: Step): Plan {
  const after = (gone.next?.['ok'] ?? []).filter((id) => id !== gone.id)
  const goOn = (ids: readonly string[]) => unique(ids.flatMap((id) => (id === gone.id ? after : [id])))
  const steps = plan.steps.filter(({ id }) => id !== gone.id)
  const lost = gone.produces.filter(
    (artifact) => !isBrought(plan, artifact) && !steps.some(({ produces }) => produces.includes(artifact)),
  )
  const instead = (id: string | undefined) => (id === gone.id ? after[0] : id)
  const changed = ({ onError, onLimit, next, ...step }: Step): Step => {
    const [error, limit] = [instead(onError), instead(onLimit)]
    return {
      ...step,
      consumes: unique(
        step.consumes.flatMap((artifact) => (lost.includes(artifact) ? gone.consumes : [artifact])),
      ).filter((artifact) => !step.produces.includes(artifact)),
      ...(next !== undefined && {
        next: Object.fromEntries(Object.entries(next).map(([outcome, ids]) => [outcome, goOn(ids)])),
      }),
      ...(error !== undefined && { onError: error }),
      ...(limit !== undefined && { onLimit: limit }),
    }
  }
  return {
    ...plan,
    entry: goOn(plan.entry),
    // Only a few steps name it, and a plan may leave out hundreds.
    steps: steps.map((step) => (isNamedBy(step, gone.id, lost) ? changed(step) : step)),
  }
}

/** True if a step leads to one that is gone, or needs what is lost with it. */
function isNamedBy(
  { next, onError, onLimit, consumes }: Step,
  gone: string,
  lost: readonly string[],
): boolean {
  if (onError === gone || onLimit === gone) return true
  for (const outcome in next) if (next[outcome]?.includes(gone) === true) return true
  return lost.length > 0 && consumes.some((artifact) => lost.includes(artifact))
}

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)]
