import { targetsFor } from '../plan/opening.ts'
import { fits, wantedOf } from '../plan/fields.ts'
import { CHILD_PARAM, type Dispatch, type Field, type Plan, type Step, targetsOf } from '../plan/plan.ts'
import type { Problem } from '../plan/problem.ts'
import { MOST_SUBAGENTS } from '../plan/step-fields.ts'
import { listed, quoted } from '../text/line.ts'

const ROOM = 300

type Steps = ReadonlyMap<string, Step>
/** Its code, and what is wrong with the step. */
type Fault = readonly [code: Problem['code'], text: string]

/** What is wrong with the parts of a plan that only a workflow has. */
export const workflowProblems = (plan: Plan, steps: Steps): readonly Problem[] =>
  plan.steps.flatMap((step) =>
    [
      ...valueFaults(plan, step),
      ...decisionFaults(step),
      ...dispatchFaults(plan, step),
      ...reviewFaults(step, steps),
      ...gateFaults(plan, step, steps),
    ].map(([code, text]) => ({
      code,
      place: step.place,
      message: `Step ${step.label} ${text}.`,
      steps: [step],
    })),
  )

/** Values in guards and decisions that their field never has. */
function valueFaults(plan: Plan, { when = {}, decides = [] }: Step): readonly Fault[] {
  const compared = [when, ...decides.map((one) => one.when ?? {})].flatMap((one) => Object.entries(one))
  return compared.flatMap(([name, wanted]) => {
    const field = fieldOf(plan, name)
    const strange = [wanted]
      .flat()
      .filter((value) => field !== undefined && value !== '' && !fits(field, value))
    return strange.map((value): Fault => {
      const must = field === undefined ? '' : wantedOf(field)
      return ['HF327', `compares ${name} with ${quoted(value, ROOM)}, but it is ${must}`]
    })
  })
}

const fieldOf = ({ params = {}, state = {} }: Plan, name: string): Field | undefined =>
  Object.hasOwn(params, name) ? params[name] : Object.hasOwn(state, name) ? state[name] : undefined

/** A failure may have no way on: the step opens again. */
function decisionFaults(step: Step): readonly Fault[] {
  const { decides = [] } = step
  const lost = decides
    .map(({ outcome }) => outcome)
    .filter((outcome) => outcome !== 'fail' && targetsFor(step, outcome) === undefined)
  const rest = decides.findIndex(({ when = {} }) => Object.keys(when).length === 0)
  const isHidden = rest !== -1 && rest < decides.length - 1
  return [
    ...lost.map((outcome): Fault => [
      'HF328',
      `decides ${quoted(outcome, ROOM)}, which its next does not map`,
    ]),
    ...(isHidden
      ? [
          [
            'HF328',
            `decides ${quoted(decides[rest]?.outcome ?? '', ROOM)} for all values before its last decision`,
          ] as const,
        ]
      : []),
  ]
}

function dispatchFaults(plan: Plan, { dispatch }: Step): readonly Fault[] {
  if (dispatch === undefined) return []
  const { workflow: name, returns = [], vars = {}, each = [] } = dispatch
  const { workflows = {}, state = {} } = plan
  const stray = returns.filter((one) => !Object.hasOwn(state, one))
  const here = [
    ...countFaults(plan, dispatch),
    ...stray.map((one): Fault => ['HF329', `gets ${one} back, which its own state does not declare`]),
  ]
  if (name === undefined) return here
  const inner = Object.hasOwn(workflows, name) ? workflows[name] : undefined
  if (inner === undefined) {
    const known = Object.keys(workflows)
    const has = known.length === 0 ? 'workflows has none' : `workflows has ${listed(known, ROOM)}`
    return [...here, ['HF329', `dispatches the workflow ${quoted(name, ROOM)}, but ${has}`]]
  }
  // Every sub-agent is told the same names, so the first with a fault stands for the others.
  const told = (each.length === 0 ? [{}] : each).map((own) => ({ [CHILD_PARAM]: '1', ...vars, ...own }))
  const wrong = told.map((values) => varFaults(inner, name, values)).find(({ length }) => length > 0) ?? []
  return [...here, ...missingReturns(inner, name, returns), ...wrong]
}

function countFaults(plan: Plan, { countOf }: Dispatch): readonly Fault[] {
  if (countOf === undefined) return []
  const { type, min = 0, max = Infinity } = fieldOf(plan, countOf) ?? {}
  if (type === 'number' && min >= 1 && max <= MOST_SUBAGENTS) return []
  return [
    [
      'HF329',
      `counts its sub-agents by ${countOf}, which must be a number with min 1 and max ${MOST_SUBAGENTS} or less`,
    ],
  ]
}

const missingReturns = ({ state = {} }: Plan, name: string, returns: readonly string[]): readonly Fault[] =>
  returns
    .filter((one) => !Object.hasOwn(state, one))
    .map((one) => ['HF329', `wants ${one} back, which the state of workflow ${name} does not declare`])

/** A value of a template is known only when it is sent. */
function varFaults(
  { params = {} }: Plan,
  name: string,
  told: Readonly<Record<string, string>>,
): readonly Fault[] {
  return Object.entries(params).flatMap(([param, field]): readonly Fault[] => {
    const value = Object.hasOwn(told, param) ? told[param] : undefined
    if (value === undefined && field.required === true && field.default === undefined)
      return [['HF329', `does not tell ${param} in vars, which workflow ${name} requires`]]
    if (value === undefined || value.includes('{{') || fits(field, value)) return []
    const wrong = `${param} of workflow ${name} must be ${wantedOf(field)}, not ${quoted(value, ROOM)}`
    return [['HF329', `tells a value that does not fit: ${wrong}`]]
  })
}

function reviewFaults({ id, review }: Step, steps: Steps): readonly Fault[] {
  if (review === undefined || steps.get(review.gate)?.gate?.review === id) return []
  return [['HF330', `is a review, but ${quoted(review.gate, ROOM)} is not its gate`]]
}

/** What each review returns. */
const RETURNS = ['result', 'report']

/** A gate routes by a fresh review, and a failure leads through the work back to that review. */
function gateFaults(plan: Plan, step: Step, steps: Steps): readonly Fault[] {
  const { gate, next = {}, decides = [] } = step
  if (gate === undefined) return []
  const review = steps.get(gate.review)
  const isReview = review?.review?.gate === step.id
  const returns = review?.dispatch?.returns ?? []
  const outcomes = new Set(decides.map(({ outcome }) => outcome))
  const missing = RETURNS.filter((name) => !returns.includes(name))
  const faults = [
    ...(isReview ? [] : [`has no review: ${quoted(gate.review, ROOM)} is no review of it`]),
    ...(isReview && missing.length > 0 ? [`has a review that does not return ${missing.join(' and ')}`] : []),
    ...(outcomes.has('pass') && outcomes.has('fail') ? [] : ['does not decide between pass and fail']),
    ...(Object.hasOwn(next, 'pass') ? [] : ['does not say where a pass leads']),
    ...(next['fail']?.includes(gate.work) === true ? [] : [`does not lead back to its work on a failure`]),
    ...(leadsTo(steps, gate.work, gate.review)
      ? []
      : [`is not asked again: ${quoted(gate.work, ROOM)} does not lead to the review`]),
  ]
  return faults.map((text) => ['HF330', text])
}

function leadsTo(steps: Steps, from: string, to: string): boolean {
  const seen = new Set([from])
  const waiting = [from]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (id === to) return steps.has(to)
    const step = steps.get(id)
    for (const target of step === undefined ? [] : targetsOf(step))
      if (!seen.has(target)) {
        seen.add(target)
        waiting.push(target)
      }
  }
  return false
}
