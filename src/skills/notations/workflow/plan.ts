import { diagnose, type Diagnostic } from '../../../model/diagnostic.ts'
import { type Field, MOST_STEPS, type Plan, type Step } from '../../../model/plan/plan.ts'
import { applyFields, isReserved, isVariableName } from '../../../model/plan/step-fields.ts'
import { stepFaults } from '../../step-faults.ts'
import { given, TITLE, WORD } from '../../text/typed-fields.ts'
import type { SourceText } from '../../text/text.ts'
import { isRecord } from '../../text/values.ts'
import type { Found } from '../frontend.ts'
import { type At, readerAt, tell } from './at.ts'
import { readFields } from './fields.ts'
import { listOf, oneOf, RECORD } from './kinds.ts'
import { placesIn } from './places.ts'
import { type ReadStep, readStep } from './step.ts'

const WORKFLOW_KEYS = [
  'name',
  'description',
  'entry',
  'activate',
  'format',
  'params',
  'state',
  'workflows',
  'steps',
]
const STEPS = listOf('steps', MOST_STEPS)
const MOST_WORKFLOWS = 50
/** Sub-agents of sub-agents; a client may not even allow the second level. */
const DEEPEST = 3

/** The plan that a module exports. With an error there is none, because half a plan would be wrong. */
export function readWorkflow(exported: unknown, source: SourceText): Found {
  const diagnostics: Diagnostic[] = []
  const places = placesIn(source)
  const name = isRecord(exported) ? exported['name'] : undefined
  const at: At = { name: 'The workflow', place: places.workflow(name), places, diagnostics }
  const plan = readPlan(exported, at, 1)
  const count = stepsIn(plan)
  if (count > MOST_STEPS)
    diagnostics.push(
      diagnose(
        'HF325',
        at.place,
        `The workflow has ${count} steps with those of its workflows; the most are ${MOST_STEPS}.`,
      ),
    )
  return diagnostics.some(({ severity }) => severity === 'error')
    ? { plan: undefined, diagnostics }
    : { plan, diagnostics }
}

const stepsIn = ({ steps, workflows = {} }: Plan): number =>
  Object.values(workflows).reduce((sum, one) => sum + stepsIn(one), steps.length)

function readPlan(exported: unknown, at: At, depth: number): Plan {
  const top = readerAt(at, exported, WORKFLOW_KEYS)
  top.must('name', TITLE)
  top.may('description', TITLE)
  const list = top.must('steps', STEPS) ?? []
  const entry = top.may('entry', WORD)
  const activate = top.may('activate', oneOf('first'))
  const format = top.may('format', oneOf('xml', 'text'))
  const params = readFields(top.may('params', RECORD), 'params', at)
  const state = readFields(top.may('state', RECORD), 'state', at)
  for (const name of Object.keys(params ?? {}))
    if (state !== undefined && Object.hasOwn(state, name))
      tell(at, `${at.name} has ${name} in params and in state; rename one of them.`)
  const read = stepsOf(
    Array.from(list, (value, index) => readStep(value, index, at)),
    at,
  )
  const steps = read.map((step) => withMost(step, { ...params, ...state }))
  const workflows = readWorkflows(top.may('workflows', RECORD), at, depth)
  return {
    notation: 'workflow',
    explicit: true,
    gate: 'produced',
    entry: [entry ?? steps[0]?.id ?? ''],
    steps,
    ...((params !== undefined || state !== undefined) && { variables: defaultsOf({ ...params, ...state }) }),
    ...(params !== undefined && { params }),
    ...(state !== undefined && { state }),
    ...(activate !== undefined && { activate }),
    ...(format !== undefined && { format }),
    ...(workflows !== undefined && { workflows }),
  }
}

/** Sub-agents that a value counts are at most as many as it may say. */
function withMost(step: Step, fields: Readonly<Record<string, Field>>): Step {
  const { dispatch } = step
  const field = Object.hasOwn(fields, dispatch?.countOf ?? '') ? fields[dispatch?.countOf ?? ''] : undefined
  if (dispatch === undefined || field?.max === undefined) return step
  const count = Math.min(dispatch.count, Math.max(1, Math.trunc(field.max)))
  return { ...step, dispatch: { ...dispatch, count, join: Math.min(dispatch.join, count) } }
}

/** A value that nobody has set is empty. */
const defaultsOf = (fields: Readonly<Record<string, Field>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.default ?? '']))

function stepsOf(read: readonly (ReadStep | undefined)[], at: At): readonly Step[] {
  const sound = read.filter((one) => one !== undefined)
  const ids = new Set(sound.map(({ step }) => step.id))
  // An unknown target stays, because the rest of the plan cannot be guessed without it.
  const find = (name: string) => (isReserved(name) && !ids.has(name) ? undefined : name)
  const written = new Map(sound.map((one) => [one.step, one.written]))
  const steps = sound.map(({ step }) => step)
  const applied = applyFields(steps, (step) => written.get(step), find)
  at.diagnostics.push(...stepFaults(applied.faults, ({ step }) => step.place, 'HF207'))
  return applied.steps.map((step, index) => ({
    ...step,
    ...(step.dispatch !== undefined && { dispatch: { ...step.dispatch, ...sound[index]?.instructed } }),
    next: step.next ?? unsaid(index === sound.length - 1, step.optional),
  }))
}

/** Only the last step may omit `next`; any other step without it is a dead end. */
function unsaid(isLast: boolean, optional: boolean): NonNullable<Step['next']> {
  if (!isLast) return {}
  return optional ? { ok: [], skip: [] } : { ok: [] }
}

function readWorkflows(
  value: Readonly<Record<string, unknown>> | undefined,
  at: At,
  depth: number,
): Plan['workflows'] {
  if (value === undefined) return undefined
  const entries = Object.entries(value)
  if (entries.length > MOST_WORKFLOWS)
    tell(at, `${at.name} has ${entries.length} workflows; the most are ${MOST_WORKFLOWS}.`)
  if (depth >= DEEPEST && entries.length > 0)
    tell(at, `${at.name}: workflows may be nested ${DEEPEST} deep; call a skill instead.`)
  if (depth >= DEEPEST) return undefined
  const read = entries.slice(0, MOST_WORKFLOWS).flatMap(([name, exported]) => {
    if (!isVariableName(name)) {
      tell(at, `${at.name}: workflows has ${given(name)}, which is no name: write letters, digits, - and _.`)
      return []
    }
    const place = at.places.workflow(isRecord(exported) ? exported['name'] : undefined)
    return [[name, readPlan(exported, { ...at, name: `Workflow ${name}`, place }, depth + 1)] as const]
  })
  return Object.fromEntries(read)
}
