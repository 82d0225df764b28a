import { type Diagnostic, diagnose, type Place } from '../model/diagnostic.ts'
import { nearest } from '../model/nearest.ts'
import type { Step } from '../model/plan.ts'
import { MODULE_NAMES } from './find.ts'
import type { Found, Frontend } from './frontend.ts'
import type { SourceText } from './text.ts'
import { isRecord } from './values.ts'

/** A module that exports its plan as data. Whoever hands the files over has run it, or has not: it is code. */
export const workflowModule: Frontend = {
  name: 'workflow',
  read({ files, modules }) {
    const [name, ...others] = MODULE_NAMES.filter((one) => files.has(one))
    const source = name === undefined ? undefined : files.get(name)
    if (name === undefined || source === undefined) return undefined
    const top = exportPlace(source)
    const unread = others.map((other) => diagnose('HF210', top, `Beside ${name} there is ${other}.`))
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

/** What cannot be imported is told by its name alone. */
function lineOfImport(error: string, { lines }: SourceText): number {
  const name = /^It imports (.+), which /.exec(error)?.[1]
  return name === undefined ? 0 : lines.findIndex((line) => line.includes(name)) + 1
}

/** Half a plan would be a wrong one, so that a fault in the module leaves none. */
const without = (diagnostics: readonly Diagnostic[]): Found => ({ plan: undefined, diagnostics })

function readWorkflow(exported: unknown, source: SourceText): Found {
  const diagnostics: Diagnostic[] = []
  const top = reader(
    exported,
    { name: 'The workflow', keys: WORKFLOW_KEYS },
    exportPlace(source),
    diagnostics,
  )
  top.must('name', TITLE)
  const list = top.must('steps', LIST) ?? []
  const entry = top.may('entry', WORD)
  const placeOf = placesOf(source)
  const steps = Array.from(list, (value, index) =>
    readStep(value, { index, isLast: index === list.length - 1, placeOf, diagnostics }),
  )
  const sound = steps.filter((step) => step !== undefined)
  if (diagnostics.some(({ severity }) => severity === 'error')) return without(diagnostics)
  return {
    plan: {
      notation: 'workflow',
      explicit: true,
      gate: 'produced',
      entry: [entry ?? sound[0]?.id ?? ''],
      steps: sound,
    },
    diagnostics,
  }
}

interface Listed {
  readonly index: number
  readonly isLast: boolean
  readonly placeOf: (id: unknown) => Place
  readonly diagnostics: Diagnostic[]
}

function readStep(value: unknown, { index, isLast, placeOf, diagnostics }: Listed): Step | undefined {
  const id = isRecord(value) ? value['id'] : undefined
  const name = WORD.is(id) ? `Step ${id}` : `Step ${index + 1} of the list`
  const place = placeOf(id)
  const fields = reader(value, { name, keys: STEP_KEYS }, place, diagnostics)
  const [word, title] = [fields.must('id', WORD), fields.must('title', TITLE)]
  const phase = fields.may('phase', TITLE)
  const actions = fields.may('actions', TEXTS)
  const next = fields.may('next', NEXT)
  const onError = fields.may('onError', WORD)
  const limit = fields.may('limit', COUNT)
  const optional = fields.may('optional', FLAG) ?? false
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
    optional,
    consumes,
    produces,
    proof,
    next: next === undefined ? unsaid(isLast, optional) : targetsOf(next),
    ...(onError !== undefined && { onError }),
    ...(limit !== undefined && { limit }),
    place,
  }
}

/** Only the last step ends the plan without a word; any other that says nothing is a dead end. */
function unsaid(isLast: boolean, optional: boolean): NonNullable<Step['next']> {
  if (!isLast) return {}
  return optional ? { ok: [], skip: [] } : { ok: [] }
}

type Target = string | null | readonly string[]

const targetsOf = (next: Readonly<Record<string, Target>>): NonNullable<Step['next']> =>
  Object.fromEntries(
    Object.entries(next).map(([outcome, target]) => [
      outcome,
      target === null ? [] : typeof target === 'string' ? [target] : [...new Set(target)],
    ]),
  )

const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()

const WORKFLOW_KEYS = ['name', 'entry', 'steps'] as const
const STEP_KEYS = [
  'id',
  'title',
  'phase',
  'actions',
  'next',
  'onError',
  'limit',
  'optional',
  'proof',
  'consumes',
  'produces',
] as const

const LONGEST_WORD = 200
const MOST_STEPS = 1000
const MOST_STRANGERS = 10

/** What a field may hold, in code and in words. */
interface Kind<T> {
  is(value: unknown): value is T
  readonly wanted: string
}

const isText = (value: unknown): value is string => typeof value === 'string' && oneLine(value) !== ''
const isWord = (value: unknown): value is string =>
  isText(value) && value.length <= LONGEST_WORD && !/[\s\p{Cc}]/u.test(value)
const isListOf =
  <T>(is: (value: unknown) => value is T) =>
  (value: unknown): value is readonly T[] =>
    Array.isArray(value) && Array.from(value).every(is)

const WORD: Kind<string> = { is: isWord, wanted: 'a text without blanks' }
const WORDS: Kind<readonly string[]> = { is: isListOf(isWord), wanted: 'a list of texts without blanks' }
const TITLE: Kind<string> = { is: isText, wanted: 'a text' }
const TEXTS: Kind<readonly string[]> = { is: isListOf(isText), wanted: 'a list of texts' }
const FLAG: Kind<boolean> = { is: (value) => typeof value === 'boolean', wanted: 'true or false' }
const COUNT: Kind<number> = {
  is: (value): value is number => Number.isSafeInteger(value) && Number(value) > 0,
  wanted: 'a whole number from 1',
}
const LIST: Kind<readonly unknown[]> = {
  is: (value): value is readonly unknown[] =>
    Array.isArray(value) && value.length > 0 && value.length <= MOST_STEPS,
  wanted: `a list of 1 to ${MOST_STEPS} steps`,
}
// An empty list would be a way to nowhere: the end is written as null.
const isTarget = (value: unknown): value is Target =>
  value === null || isWord(value) || (WORDS.is(value) && value.length > 0)
const NEXT: Kind<Readonly<Record<string, Target>>> = {
  is: (value): value is Readonly<Record<string, Target>> =>
    isRecord(value) &&
    Object.entries(value).every(([outcome, target]) => isWord(outcome) && isTarget(target)),
  wanted: 'an object of outcomes such as {ok: "id", fail: ["id", "id"], skip: null}',
}

/** Reads fields of something that may be anything; whatever is not as it must be is told and left out. */
function reader(
  value: unknown,
  { name, keys }: { readonly name: string; readonly keys: readonly string[] },
  place: Place,
  diagnostics: Diagnostic[],
) {
  const fields = isRecord(value) ? value : {}
  const tell = (message: string) => void diagnostics.push(diagnose('HF207', place, message))
  if (!isRecord(value)) tell(`${name} must be an object, not ${kindOf(value)}.`)
  const strangers = Object.keys(fields).filter((key) => !keys.includes(key))
  for (const key of strangers.slice(0, MOST_STRANGERS).map((one) => one.slice(0, LONGEST_WORD))) {
    const [meant] = nearest(key, keys)
    const suggestion = meant === undefined ? '.' : `; did you mean ${meant}?`
    diagnostics.push(diagnose('HF209', place, `${name} has a field ${key}${suggestion}`))
  }
  const may = <T>(key: string, kind: Kind<T>): T | undefined => {
    const given = fields[key]
    if (given === undefined || kind.is(given)) return given
    tell(`${name}: ${key} must be ${kind.wanted}, and is ${kindOf(given)}.`)
    return undefined
  }
  const must = <T>(key: string, kind: Kind<T>): T | undefined => {
    if (isRecord(value) && fields[key] === undefined)
      tell(`${name} has no ${key}, which must be ${kind.wanted}.`)
    return may(key, kind)
  }
  return { may, must }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'string') return value.trim() === '' ? 'an empty text' : 'a text'
  if (typeof value === 'object') return 'an object'
  return value === undefined ? 'nothing' : `a ${typeof value}`
}

/** Where the module says what it exports. */
function exportPlace({ file, lines }: SourceText): Place {
  return { file, line: lines.findIndex((line) => /^\s*export\b/.test(line)) + 1 || 1, column: 1 }
}

const ID = /\bid['"]?\s*:\s*(['"`])([^'"`]{1,200})\1/g

/** Finds the line of each id in turn, so that the second of two that are alike is shown where it stands. */
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
