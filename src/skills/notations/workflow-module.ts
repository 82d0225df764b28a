import { type Diagnostic, diagnose, type Place } from '../../model/diagnostic.ts'
import { MOST_STEPS, type Step } from '../../model/plan/plan.ts'
import { applyFields, isReserved, STEP_FIELDS } from '../../model/plan/step-fields.ts'
import { stepFaults } from '../step-faults.ts'
import { MODULE_NAMES } from '../find.ts'
import type { Found, Frontend } from './frontend.ts'
import type { SourceText } from '../text/text.ts'
import { type Kind, oneLine, reader, TEXTS, TITLE, WORD, WORDS } from '../text/typed-fields.ts'
import { isRecord } from '../text/values.ts'

/** A module that exports its plan as data. The caller decides whether to run it, because it is code. */
export const workflowModule: Frontend = {
  name: 'workflow',
  read({ files, modules }) {
    const [name, ...others] = MODULE_NAMES.filter((one) => files.has(one))
    const source = name === undefined ? undefined : files.get(name)
    if (name === undefined || source === undefined) return undefined
    const top = exportPlace(source)
    const unread = others.map((other) =>
      diagnose('HF210', top, `${other} is ignored because ${name} exists.`),
    )
    const loaded = modules.get(name)
    if (loaded === undefined) return without([diagnose('HF208', top, `${name} was not run.`), ...unread])
    if (!('error' in loaded)) {
      const { plan, diagnostics } = readWorkflow(loaded.exported, source)
      return { plan, diagnostics: [...diagnostics, ...unread] }
    }
    const line = loaded.line ?? lineOfImport(loaded.error, source)
    const place = source.lines[line - 1] === undefined ? top : { ...top, line }
    return without([diagnose('HF206', place, `${name} could not be loaded: ${loaded.error}`), ...unread])
  },
}

/** An import error names the import but not its line, so this searches for it. */
function lineOfImport(error: string, { lines }: SourceText): number {
  const name = /^It imports (.+), which /.exec(error)?.[1]
  return name === undefined ? 0 : lines.findIndex((line) => line.includes(name)) + 1
}

/** A module with an error has no plan, because half a plan would be wrong. */
const without = (diagnostics: readonly Diagnostic[]): Found => ({ plan: undefined, diagnostics })

function readWorkflow(exported: unknown, source: SourceText): Found {
  const diagnostics: Diagnostic[] = []
  const top = reader(
    exported,
    { name: 'The workflow', keys: WORKFLOW_KEYS, code: 'HF207' },
    exportPlace(source),
    diagnostics,
  )
  top.must('name', TITLE)
  const list = top.must('steps', LIST) ?? []
  const entry = top.may('entry', WORD)
  const placeOf = placesOf(source)
  const steps = Array.from(list, (value, index) => readStep(value, { index, placeOf, diagnostics }))
  const sound = steps.filter((step) => step !== undefined)
  const ids = new Set(sound.map(({ id }) => id))
  // An unknown target stays, because the rest of the plan cannot be guessed without it.
  const find = (name: string) => (isReserved(name) && !ids.has(name) ? undefined : name)
  const written = new Map(sound.map((step) => [step, list[steps.indexOf(step)]]))
  const applied = applyFields(sound, (step) => written.get(step), find)
  diagnostics.push(...stepFaults(applied.faults, ({ step }) => step.place, 'HF207'))
  if (diagnostics.some(({ severity }) => severity === 'error')) return without(diagnostics)
  return {
    plan: {
      notation: 'workflow',
      explicit: true,
      gate: 'produced',
      entry: [entry ?? sound[0]?.id ?? ''],
      steps: applied.steps.map((step, index) => ({
        ...step,
        next: step.next ?? unsaid(index === sound.length - 1, step.optional),
      })),
    },
    diagnostics,
  }
}

interface Listed {
  readonly index: number
  readonly placeOf: (id: unknown) => Place
  readonly diagnostics: Diagnostic[]
}

function readStep(value: unknown, { index, placeOf, diagnostics }: Listed): Step | undefined {
  const id = isRecord(value) ? value['id'] : undefined
  const name = WORD.is(id) ? `Step ${id}` : `Step ${index + 1} of the list`
  const place = placeOf(id)
  const fields = reader(value, { name, keys: STEP_KEYS, code: 'HF207' }, place, diagnostics)
  const [word, title] = [fields.must('id', WORD), fields.must('title', TITLE)]
  const phase = fields.may('phase', TITLE)
  const actions = fields.may('actions', TEXTS)
  const onError = fields.may('onError', WORD)
  const [proof = [], consumes = [], produces = []] = (['proof', 'consumes', 'produces'] as const).map((key) =>
    fields.may(key, WORDS),
  )
  if (word === undefined || title === undefined) return undefined
  return {
    id: word,
    label: word,
    title: oneLine(title),
    ...(phase !== undefined && { phase: oneLine(phase) }),
    ...(actions !== undefined && { actions }),
    optional: false,
    consumes,
    produces,
    proof,
    ...(onError !== undefined && { onError }),
    place,
  }
}

/** Only the last step may omit `next`; any other step without it is a dead end. */
function unsaid(isLast: boolean, optional: boolean): NonNullable<Step['next']> {
  if (!isLast) return {}
  return optional ? { ok: [], skip: [] } : { ok: [] }
}

const WORKFLOW_KEYS = ['name', 'entry', 'steps'] as const
const STEP_KEYS = [
  'id',
  'title',
  'phase',
  'actions',
  'onError',
  'proof',
  'consumes',
  'produces',
  ...STEP_FIELDS,
]

const LIST: Kind<readonly unknown[]> = {
  is: (value): value is readonly unknown[] =>
    Array.isArray(value) && value.length > 0 && value.length <= MOST_STEPS,
  wanted: `a list of 1 to ${MOST_STEPS} steps`,
}

/** The place of the first export. */
function exportPlace({ file, lines }: SourceText): Place {
  return { file, line: lines.findIndex((line) => /^\s*export\b/.test(line)) + 1 || 1, column: 1 }
}

const ID = /\bid['"]?\s*:\s*(['"`])([^'"`]{1,200})\1/g

/** Finds the places of an id in order, so that a duplicate points to its own line. */
function placesOf(source: SourceText): (id: unknown) => Place {
  const found = source.lines.flatMap((text, index) =>
    [...text.matchAll(ID)].map(({ 2: id = '', index: at }) => ({
      id,
      place: { file: source.file, line: index + 1, column: at + 1 },
    })),
  )
  const byId = Map.groupBy(found, ({ id }) => id)
  const used = new Map<string, number>()
  return (id) => {
    const places = typeof id === 'string' ? byId.get(id) : undefined
    if (places === undefined || typeof id !== 'string') return exportPlace(source)
    const turn = used.get(id) ?? 0
    used.set(id, turn + 1)
    return (places[turn] ?? places.at(-1))?.place ?? exportPlace(source)
  }
}
