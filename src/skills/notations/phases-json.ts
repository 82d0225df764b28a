import { type Diagnostic, diagnose, type Place } from '../../model/diagnostic.ts'
import { compareLabels, isPhaseLabel, type Phase, writtenLabel } from '../../model/plan/phase.ts'
import { planOfPhases, readPhasePlan } from '../../model/plan/phase-plan.ts'
import type { Step } from '../../model/plan/plan.ts'
import { STEP_FIELDS, type StepFault } from '../../model/plan/step-fields.ts'
import { LONGEST_PLAN } from '../text/bounds.ts'
import { isDemand, readDemands } from '../demands.ts'
import type { Found, Frontend, SkillSource } from './frontend.ts'
import type { Fence } from '../text/markdown.ts'
import { type Entry, isOptional, onlyIn } from '../series/entry.ts'
import { findSeries, type Series } from '../series/find.ts'
import { stepFaults, withFaults } from '../step-faults.ts'
import { unknownFields } from '../text/typed-fields.ts'
import { fieldsOf, isRecord, namesOf } from '../text/values.ts'
import { jsonPlaces } from '../text/yaml.ts'

/** The machine-readable part of a skill: its first JSON block, if that is an object. */
export interface MachinePart {
  readonly value: Readonly<Record<string, unknown>>
  readonly fence: Fence
}

export function machinePart({ blocks }: SkillSource): MachinePart | undefined {
  for (const block of blocks) {
    if (block.kind !== 'fence' || block.language !== 'json') continue
    if (block.content.length > LONGEST_PLAN) return undefined
    const value = jsonValue(block.content)
    return isRecord(value) ? { value, fence: block } : undefined
  }
  return undefined
}

/** Phases declared as data, which makes the plan explicit and enforceable. */
export const phasesJson: Frontend = {
  name: 'phases',
  read(source) {
    const broken = brokenPhases(source)
    if (broken !== undefined) return broken
    const part = machinePart(source)
    if (part === undefined || !isOurs(part.value['phases'])) return undefined
    const { file } = source.main
    const { line, content } = part.fence
    const places = jsonPlaces(content, { file, line: line + 1, column: 1 })
    return readPhases(part.value['phases'], places, { file, line, column: 1 })
  },
}

/** Other programs have phases too; ours have labels. */
const isOurs = (phases: unknown): phases is readonly unknown[] =>
  Array.isArray(phases) && phases.some((phase) => writtenLabel(fieldsOf(phase)) !== '')

/** Without this diagnostic, a broken phases block would silently leave the skill without a plan. */
function brokenPhases({ blocks, main }: SkillSource): Found | undefined {
  const first = blocks.find((block) => block.kind === 'fence' && block.language === 'json') as
    | Fence
    | undefined
  if (first === undefined || !mentionsPhases(first.content)) return undefined
  const isLong = first.content.length > LONGEST_PLAN
  if (!isLong && jsonValue(first.content) !== undefined) return undefined
  const { at, why } = isLong ? tooLong(first.content) : jsonFault(first.content)
  const before = first.content.slice(0, at).split('\n')
  const place = {
    file: main.file,
    line: first.line + before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
  }
  return {
    plan: planOfPhases([]),
    diagnostics: [diagnose('HF205', place, `The phases block ${why}.`)],
  }
}

/** Two searches, because one pattern for both would take quadratic time. */
function mentionsPhases(content: string): boolean {
  const at = content.search(/"phases"\s*:/)
  return at !== -1 && /"(label|major)"\s*:/.test(content.slice(at))
}

const tooLong = ({ length }: string) => ({
  at: 0,
  why: `has ${length} characters; the most are ${LONGEST_PLAN}`,
})

/** Where the JSON breaks, or its beginning if the parser gives no position. */
function jsonFault(content: string): { readonly at: number; readonly why: string } {
  try {
    JSON.parse(content)
    return { at: 0, why: 'is not valid JSON: it is nested too deeply' }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const [, what = '', position = '0'] = /^(.*) in JSON at position (\d+)/s.exec(message) ?? []
    return {
      at: Number(position),
      why: `is not valid JSON: ${what === '' ? message : what.toLowerCase()}`,
    }
  }
}

/** Reads a list of phases from a JSON block or the sidecar, with the place of each. */
export function readPhases(
  list: readonly unknown[],
  places: ReadonlyMap<string, Place>,
  otherwise: Place,
): Found {
  const diagnostics: Diagnostic[] = []
  const phases: Phase[] = []
  const placeOf = new Map<string, Place>()
  for (const [index, value] of list.entries()) {
    const place = places.get(`phases/${index}`) ?? otherwise
    const phase = toPhase(value)
    if (phase === undefined)
      diagnostics.push(
        diagnose('HF205', place, `Entry ${index + 1} of phases has no label such as 1, 2.1 or 3.A.`),
      )
    else if (placeOf.has(phase.label))
      diagnostics.push(
        diagnose(
          'HF301',
          place,
          `Phase ${phase.label} is already declared at line ${placeOf.get(phase.label)?.line ?? 1}.`,
        ),
      )
    else {
      phases.push(phase)
      diagnostics.push(...phaseFaults(phase, fieldsOf(value), place))
    }
    if (phase !== undefined && !placeOf.has(phase.label)) placeOf.set(phase.label, place)
  }
  const meant = phases.map((phase) => ({
    ...phase,
    optional: phase['optional'] ?? isOptional(phase.name),
    only: phase['only'] ?? onlyIn(phase.name),
  }))
  const asked = readDemands(
    list.flatMap((value, index) =>
      demandsIn(fieldsOf(value)['proof'], places.get(`phases/${index}`) ?? otherwise),
    ),
  )
  const demands = Object.keys(asked.demands).length === 0 ? {} : { demands: asked.demands }
  const { plan, faults: shapes } = readPhasePlan(meant, (label) => placeOf.get(label) ?? otherwise)
  const written = new Map(list.map((value) => [writtenLabel(fieldsOf(value)), fieldsOf(value)['proof']]))
  const faults = [...shapes, ...proofFaults(plan.steps, ({ label }) => written.get(label))]
  return {
    plan: { ...withFaults(plan, faults, asked.faulty), ...demands },
    diagnostics: [...diagnostics, ...stepFaults(faults), ...asked.diagnostics],
    phases,
  }
}

const PHASE_KEYS = [
  'label',
  'major',
  'minor',
  'name',
  'title',
  'description',
  'heading',
  'file',
  'proof',
  ...STEP_FIELDS,
]
/** Older skills have these too; they mean nothing to the plan. */
const OLDER_KEYS = new Set(['steps', 'commands', 'gate', 'invariants'])

function phaseFaults({ label }: Phase, fields: Readonly<Record<string, unknown>>, place: Place) {
  const { name } = fields
  const isNamed = name === undefined || name === null || typeof name === 'string' || typeof name === 'number'
  const keys = Object.keys(fields).filter((key) => !OLDER_KEYS.has(key))
  return [
    ...unknownFields(`Phase ${label}`, keys, { known: PHASE_KEYS, code: 'HF324', place }),
    ...(isNamed ? [] : [diagnose('HF114', place, `Phase ${label}: name must be a string.`)]),
  ]
}

/** Finds proof that names no field; without this check, it would silently ask for nothing. */
export const proofFaults = (
  steps: readonly Step[],
  writtenFor: (step: Step) => unknown,
): readonly StepFault[] =>
  steps.flatMap((step) => {
    const value = writtenFor(step) ?? undefined
    const wanted = 'names of fields such as [tests_pass]'
    return value === undefined || isProof(value) ? [] : [{ step, key: 'proof', kind: 'shape', wanted, value }]
  })

const isProof = (value: unknown): boolean =>
  isRecord(value) ||
  (Array.isArray(value) ? value : [value]).every((one) => typeof one === 'string' && /\p{L}/u.test(one))

/** The proof fields that demand more than the agent's claim. */
export const demandsIn = (proof: unknown, place: Place) =>
  Object.entries(fieldsOf(proof))
    .filter(([, value]) => isDemand(value))
    .map(([name, value]) => ({ name, value, place }))

/** Finds phases that the text has in another order than the plan, or that only the text has. */
export function proseFaults(phases: readonly Phase[], { blocks, main }: SkillSource): readonly Diagnostic[] {
  const told = longestOf(
    findSeries(blocks).filter(({ form, word }) => form === 'heading' && word === 'phase'),
  )
  const labels = phases.map(({ label }) => label).toSorted(compareLabels)
  const fault = (line: number, what: string) =>
    diagnose(
      'HF310',
      { file: main.file, line, column: 1 },
      `The text ${what} the plan is ${labels.join(' → ')}.`,
    )
  let furthest: Entry | undefined
  return told.flatMap((entry) => {
    const { number, line } = entry
    if (!isPhaseLabel(number)) return []
    // A part of a declared phase needs no declaration.
    if (!labels.includes(number))
      return labels.some((label) => number.startsWith(`${label}.`))
        ? []
        : [fault(line, `has phase ${number}, but`)]
    const before = furthest
    const isLater = before === undefined || compareLabels(before.number, number) <= 0
    if (isLater) furthest = entry
    // Letters mark alternatives, which have no order.
    return isLater || /[A-Z]$/.test(number)
      ? []
      : [fault(line, `has phase ${number} after phase ${before.number} (line ${before.line}), but`)]
  })
}

function toPhase(value: unknown): Phase | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const fields = value as Readonly<Record<string, unknown>>
  const label = writtenLabel(fields)
  if (!isPhaseLabel(label)) return undefined
  const proof = proofFields(fields['proof'])
  return { ...fields, label, name: text(fields['name']), ...(fields['proof'] !== undefined && { proof }) }
}

/** Reads proof names from a list, a single name, or the keys of an object. */
export const proofFields = (value: unknown): readonly string[] =>
  isRecord(value) ? Object.keys(value) : namesOf(value)

const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''

/** The value of a JSON text, or undefined if it is invalid or nested too deeply. */
export function jsonValue(content: string): unknown {
  try {
    const value: unknown = JSON.parse(content)
    return isShallow(value) ? value : undefined
  } catch {
    return undefined
  }
}

const DEEPEST = 50

/** Limits the depth, because everything that stores or prints the value recurses as deeply. */
function isShallow(value: unknown): boolean {
  let layer = [value]
  for (let depth = 0; depth <= DEEPEST; depth++) {
    layer = layer.flatMap((one) =>
      typeof one === 'object' && one !== null ? Object.values(one as Record<string, unknown>) : [],
    )
    if (layer.length === 0) return true
  }
  return false
}

const longestOf = (all: readonly Series[]): readonly Entry[] =>
  all.map(({ entries }) => entries).toSorted((a, b) => b.length - a.length)[0] ?? []
