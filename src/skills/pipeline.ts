import type { Definition } from '../model/plan/definition.ts'
import { type Diagnostic, diagnose, type Place } from '../model/diagnostic.ts'
import type { Plan, Run, Step, Verify } from '../model/plan/plan.ts'
import { applyFields, STEP_FIELDS } from '../model/plan/step-fields.ts'
import { stepFaults } from './step-faults.ts'
import type { Found } from './notations/frontend.ts'
import { placeIn, type Sidecar } from './sidecar.ts'
import { isCommand } from './demands.ts'
import { type Kind, oneLine, reader, TITLE, WORD } from './text/typed-fields.ts'
import { fieldsOf, isRecord } from './text/values.ts'

const KEYS = ['id', 'title', 'skill', 'command', 'prompt', 'run', 'args', 'verify', 'onError', ...STEP_FIELDS]
const COMMAND: Kind<string> = { is: isCommand, wanted: 'one line of text' }
const MOST_STEPS = 100
/** A step that failed twice needs a person to look at it. */
const LIMIT = 2

/** A pipeline in the sidecar defines the plan: its steps run in order, each to its end. */
export function sidecarPipeline(sidecar: Sidecar): Found | undefined {
  const list = sidecar.values['pipeline']
  if (list === undefined) return undefined
  const diagnostics: Diagnostic[] = []
  const top = placeIn(sidecar, 'pipeline')
  if (!Array.isArray(list) || list.length === 0 || list.length > MOST_STEPS)
    diagnostics.push(diagnose('HF211', top, `pipeline must be a list of 1 to ${MOST_STEPS} steps.`))
  const listed = (Array.isArray(list) ? list.slice(0, MOST_STEPS) : []).flatMap((value: unknown, index) => {
    const step = readStep(value, { index, place: placeOf(sidecar, index), diagnostics })
    return step === undefined ? [] : [{ step, value }]
  })
  const written = new Map(listed.map(({ step, value }) => [step, value]))
  const { steps, faults } = applyFields([...written.keys()], (step) => written.get(step))
  diagnostics.push(...stepFaults(faults, ({ step }) => step.place, 'HF211'))
  // Half a pipeline would be wrong.
  if (diagnostics.some(({ severity }) => severity === 'error')) return { plan: undefined, diagnostics }
  return {
    plan: {
      notation: 'workflow',
      explicit: true,
      gate: 'produced',
      ...inTurn(steps),
    },
    diagnostics,
  }
}

const placeOf = (sidecar: Sidecar, index: number): Place => placeIn(sidecar, `pipeline/${index}`, 'pipeline')

const withoutSlash = (skill: string): string => skill.replace(/^\//, '')

/** The id of a step, or else the name of its skill. */
function idOf(value: unknown): string | undefined {
  const { id, skill } = fieldsOf(value)
  return WORD.is(id) ? id : WORD.is(skill) ? withoutSlash(skill) : undefined
}

/** One step after the other; a step that only a failure leads to is never reached by success. */
function inTurn(steps: readonly Step[]): Pick<Plan, 'entry' | 'steps'> {
  const named = new Set(steps.flatMap(({ next = {} }) => Object.values(next).flat()))
  const detours = new Set(
    steps.flatMap(({ onError, onLimit }, index) =>
      // A failure may also lead back, to a step that success has passed.
      [onError, onLimit].filter(
        (id) => steps.findIndex((step) => step.id === id) > index && !named.has(id ?? ''),
      ),
    ),
  )
  const onward = steps.filter(({ id }) => !detours.has(id))
  return {
    entry: onward.slice(0, 1).map(({ id }) => id),
    steps: steps.map((step) => lead(step, onward[onward.indexOf(step) + 1], detours.has(step.id))),
  }
}

/** A failed step runs again up to its limit, then continues at `onError`, if there is one. */
function lead({ onError, next, ...step }: Step, following: Step | undefined, isDetour: boolean): Step {
  const after = following === undefined || isDetour ? [] : [following.id]
  const detour = onError === undefined ? (step.optional ? after : []) : [onError]
  return {
    ...step,
    next: {
      ok: after,
      fail: [...new Set([step.id, ...detour])],
      ...(step.optional && { skip: after }),
      ...next,
    },
  }
}

interface Listed {
  readonly index: number
  readonly place: Place
  readonly diagnostics: Diagnostic[]
}

function readStep(value: unknown, { index, place, diagnostics }: Listed): Step | undefined {
  const id = idOf(value)
  const name = id === undefined ? `Step ${index + 1} of the pipeline` : `Step ${id}`
  const fields = reader(value, { name, keys: KEYS, code: 'HF211' }, place, diagnostics)
  fields.may('id', WORD)
  const [skill, command, prompt] = (['skill', 'command', 'prompt'] as const).map((key) =>
    fields.may(key, key === 'skill' ? WORD : TITLE),
  )
  const run = fields.may('run', COMMAND)
  const args = fields.may('args', TITLE) ?? ''
  const verify = fields.may('verify', VERIFY)
  const onError = fields.may('onError', WORD)
  const title = fields.may('title', TITLE) ?? id ?? ''
  const runs: readonly Run[] = [
    ...(skill === undefined ? [] : [{ kind: 'skill' as const, name: withoutSlash(skill), args }]),
    ...(command === undefined ? [] : [{ kind: 'command' as const, command }]),
    ...(prompt === undefined ? [] : [{ kind: 'prompt' as const, prompt }]),
    ...(run === undefined ? [] : [{ kind: 'own' as const, command: run.trim() }]),
  ]
  const [only, second] = runs
  if (isRecord(value) && (only === undefined || second !== undefined))
    diagnostics.push(
      diagnose('HF211', place, `${name} must have exactly one of skill, command, prompt and run.`),
    )
  if (isRecord(value) && id === undefined && only !== undefined)
    diagnostics.push(diagnose('HF211', place, `${name} has no id.`))
  if (id === undefined || only === undefined) return undefined
  return {
    id,
    label: id,
    title: oneLine(title),
    optional: false,
    consumes: [],
    produces: [],
    proof: [],
    runs: only,
    ...(verify !== undefined && { verify: verifyOf(verify) }),
    ...(onError !== undefined && { onError }),
    limit: LIMIT,
    place,
  }
}

type Written = string | { readonly file: string } | { readonly condition: string; readonly command: string }

const VERIFY: Kind<Written> = {
  is: (value): value is Written =>
    TITLE.is(value) ||
    (isRecord(value) &&
      (hasOnly(value, { file: TITLE }) || hasOnly(value, { condition: TITLE, command: COMMAND }))),
  wanted:
    'a condition in words, {file: PATH} for a file that must exist, or {condition: WORDS, command: LINE} for a command that must exit with 0',
}

const hasOnly = (value: Readonly<Record<string, unknown>>, kinds: Readonly<Record<string, Kind<string>>>) =>
  Object.keys(value).length === Object.keys(kinds).length &&
  Object.entries(kinds).every(([key, kind]) => kind.is(value[key]))

function verifyOf(written: Written): Verify {
  if (typeof written === 'string') return { kind: 'shown', condition: oneLine(written) }
  return 'file' in written
    ? { kind: 'file', path: written.file.trim() }
    : { kind: 'command', condition: oneLine(written.condition), command: written.command.trim() }
}

/** The skills that a pipeline runs, with their places. */
export function skillsOfPipeline(sidecar: Sidecar): Definition['leadsTo'] {
  const list = sidecar.values['pipeline']
  if (!Array.isArray(list)) return []
  return list.slice(0, MOST_STEPS).flatMap((value, index) => {
    const { skill } = fieldsOf(value)
    return WORD.is(skill) ? [{ name: withoutSlash(skill), place: placeOf(sidecar, index) }] : []
  })
}
