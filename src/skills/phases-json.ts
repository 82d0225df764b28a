import { type Diagnostic, diagnose, type Place } from '../model/diagnostic.ts'
import { isPhaseLabel, type Phase } from '../model/phase.ts'
import { planOfPhases } from '../model/phase-plan.ts'
import type { Found, Frontend, SkillSource } from './frontend.ts'
import type { Fence } from './markdown.ts'
import { isOptional } from './series.ts'

/** The machine part of a skill: the first json block that is an object. */
export interface MachinePart {
  readonly value: Readonly<Record<string, unknown>>
  readonly fence: Fence
}

export function machinePart({ blocks }: SkillSource): MachinePart | undefined {
  for (const block of blocks) {
    if (block.kind !== 'fence' || block.language !== 'json') continue
    const value = jsonValue(block.content)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { value: value as Record<string, unknown>, fence: block }
      : undefined
  }
  return undefined
}

/** Phases as data: explicit, so that they can be enforced. */
export const phasesJson: Frontend = {
  name: 'phases',
  read(source) {
    const broken = brokenPhases(source)
    if (broken !== undefined) return broken
    const part = machinePart(source)
    if (part === undefined || !Array.isArray(part.value['phases'])) return undefined
    return readPhases(part.value['phases'], { file: source.main.file, line: part.fence.line, column: 1 })
  },
}

/** A block that speaks of phases but is not JSON would otherwise be a plan that silently is not there. */
function brokenPhases({ blocks, main }: SkillSource): Found | undefined {
  const first = blocks.find((block) => block.kind === 'fence' && block.language === 'json') as
    | Fence
    | undefined
  if (first === undefined || !/"phases"\s*:/.test(first.content) || jsonValue(first.content) !== undefined)
    return undefined
  const place = { file: main.file, line: first.line, column: 1 }
  return {
    plan: planOfPhases([], place),
    diagnostics: [diagnose('HF205', place, 'The block of phases is not JSON.')],
  }
}

/** A list of phases, from a json block or from the sidecar. */
export function readPhases(list: readonly unknown[], place: Place): Found {
  const diagnostics: Diagnostic[] = []
  const phases: Phase[] = []
  const labels = new Set<string>()
  for (const [index, value] of list.entries()) {
    const phase = toPhase(value)
    if (phase === undefined)
      diagnostics.push(
        diagnose('HF205', place, `Phase ${index + 1} of the list has no label such as 1, 2.1 or 3.A.`),
      )
    else if (labels.has(phase.label))
      diagnostics.push(diagnose('HF301', place, `Phase ${phase.label} is declared twice.`))
    else phases.push(phase)
    if (phase !== undefined) labels.add(phase.label)
  }
  const meant = phases.map((phase) => ({
    ...phase,
    optional: phase['optional'] === true || isOptional(phase.name),
  }))
  return { plan: planOfPhases(meant, place), diagnostics, phases }
}

function toPhase(value: unknown): Phase | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const fields = value as Readonly<Record<string, unknown>>
  const minor = fields['minor'] === undefined || fields['minor'] === 0 ? '' : `.${text(fields['minor'])}`
  // Older skills write two numbers instead of a label.
  const label =
    fields['label'] === undefined && fields['major'] !== undefined
      ? `${text(fields['major'])}${minor}`
      : text(fields['label'])
  if (!isPhaseLabel(label)) return undefined
  const proof = proofFields(fields['proof'])
  return { ...fields, label, name: text(fields['name']), ...(proof.length > 0 && { proof }) }
}

/** Proof as a list of names, or as an object whose keys are the names. */
export function proofFields(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.filter((field) => typeof field === 'string')
  return typeof value === 'object' && value !== null ? Object.keys(value) : []
}

const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''

/** What a text of JSON says; undefined where it is none. */
export function jsonValue(content: string): unknown {
  try {
    const value: unknown = JSON.parse(content)
    return isShallow(value) ? value : undefined
  } catch {
    return undefined
  }
}

const DEEPEST = 50

/** Nobody writes deeper, and whoever stores or prints it would have to go as deep again. */
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
