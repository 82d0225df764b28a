import { isMap, isScalar, LineCounter, parseDocument } from 'yaml'
import { type Diagnostic, diagnose } from '../model/diagnostic.ts'
import { nearest } from '../model/nearest.ts'
import { proofFields, readPhases } from './phases-json.ts'
import type { Found } from './frontend.ts'
import type { Plan } from '../model/plan.ts'
import type { SourceText } from './text.ts'
import { isTrue, namesOf, fieldsOf } from './values.ts'
import { placeOfFault, plain } from './yaml.ts'

/** What an author tells the engine beside a SKILL.md that is for agents. */
export interface Sidecar {
  readonly values: Readonly<Record<string, unknown>>
  readonly diagnostics: readonly Diagnostic[]
  readonly source: SourceText
}

const KEYS = [
  'gate',
  'phases',
  'pipeline',
  'proof',
  'steps',
  'continuation',
  'result',
  'required_todos',
  'uses_skill_run',
  'heartbeat',
] as const

const OF_THE_PLAN = new Set(['gate', 'phases', 'pipeline', 'proof', 'steps', 'required_todos'])

/** What the sidecar says beside the plan; keys that nobody knows yet are kept. */
export const engineSettings = ({ values }: Sidecar): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(values).filter(([key]) => !OF_THE_PLAN.has(key)))

export function readSidecar(source: SourceText): Sidecar {
  const counter = new LineCounter()
  const document = parseDocument(source.text, {
    lineCounter: counter,
    prettyErrors: false,
    // Comparing each key with each takes the square of their number; our own check does not.
    uniqueKeys: false,
    logLevel: 'silent',
  })
  const [fault] = document.errors
  const place = (line = 1, column = 1) => ({ file: source.file, line, column })
  if (fault !== undefined) {
    const at = placeOfFault(fault, counter)
    const message = `holdfast.yaml is not valid YAML: ${fault.message.split('\n')[0] ?? ''}`
    return {
      values: {},
      source,
      diagnostics: [diagnose('HF101', place(at.line, at.column), message)],
    }
  }
  if (!isMap(document.contents)) {
    const empty = document.contents === null
    return {
      values: {},
      source,
      diagnostics: empty ? [] : [diagnose('HF114', place(), 'holdfast.yaml must be a list of fields.')],
    }
  }
  const values = plain(document.contents) as Record<string, unknown>
  const keys = document.contents.items.flatMap(({ key }) =>
    isScalar(key) ? [{ key: String(key.value), line: counter.linePos(key.range?.[0] ?? 0).line }] : [],
  )
  const diagnostics = keyFaults(keys, source.file)
  return {
    values,
    source,
    diagnostics: [...diagnostics, ...wrongGate(values, source), ...twoPlans(values, source)],
  }
}

function keyFaults(
  keys: readonly { readonly key: string; readonly line: number }[],
  file: string,
): readonly Diagnostic[] {
  const seen = new Set<string>()
  return keys.flatMap(({ key, line }) => {
    const place = { file, line, column: 1 }
    if (seen.has(key))
      return [diagnose('HF114', place, `holdfast.yaml has ${key} twice; the last one counts.`)]
    seen.add(key)
    if ((KEYS as readonly string[]).includes(key)) return []
    const [meant] = nearest(key, KEYS)
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`
    return [diagnose('HF111', place, `holdfast.yaml has a field ${key} that the engine does not know${hint}`)]
  })
}

/** The line on which a field of the sidecar stands. */
export const lineOf = (source: SourceText, key: string): number =>
  source.lines.findIndex((line) => line.startsWith(`${key}:`)) + 1 || 1

function wrongGate(values: Readonly<Record<string, unknown>>, source: SourceText): readonly Diagnostic[] {
  const { gate } = values
  if (gate === undefined || gate === 'visited' || gate === 'produced') return []
  return [
    diagnose(
      'HF114',
      { file: source.file, line: lineOf(source, 'gate'), column: 1 },
      `gate is ${JSON.stringify(gate)}, and must be visited or produced.`,
    ),
  ]
}

function twoPlans(values: Readonly<Record<string, unknown>>, source: SourceText): readonly Diagnostic[] {
  if (!Array.isArray(values['phases']) || values['pipeline'] === undefined) return []
  const place = { file: source.file, line: lineOf(source, 'pipeline'), column: 1 }
  return [diagnose('HF114', place, 'holdfast.yaml has phases and a pipeline; only the phases count.')]
}

/** Phases that stand in the sidecar are the plan, whatever the text says. */
export function sidecarPhases(sidecar: Sidecar): Found | undefined {
  const { phases } = sidecar.values
  if (!Array.isArray(phases)) return undefined
  return readPhases(phases, { file: sidecar.source.file, line: lineOf(sidecar.source, 'phases'), column: 1 })
}

/** Adds contracts, proof and the gate to a plan that was written elsewhere. */
export function applySidecar(found: Found, sidecar: Sidecar): Found {
  if (found.plan === undefined) return found
  const diagnostics: Diagnostic[] = []
  const contracts = fieldsOf(sidecar.values['steps'])
  const proof = fieldsOf(sidecar.values['proof'])
  const steps = found.plan.steps.map((step) => {
    const contract = fieldsOf(contracts[step.id] ?? contracts[step.label])
    const fields = proofFields(proof[step.id] ?? proof[step.label])
    return {
      ...step,
      ...(contract['consumes'] !== undefined && { consumes: namesOf(contract['consumes']) }),
      ...(contract['produces'] !== undefined && { produces: namesOf(contract['produces']) }),
      ...(contract['optional'] !== undefined && { optional: isTrue(contract['optional']) }),
      ...(fields.length > 0 && { proof: [...new Set([...step.proof, ...fields])] }),
    }
  })
  const known = new Set(found.plan.steps.flatMap(({ id, label }) => [id, label]))
  const declared = new Set([...known, ...steps.flatMap(({ proof: fields }) => fields)])
  const line = (key: string) => ({ file: sidecar.source.file, line: lineOf(sidecar.source, key), column: 1 })
  for (const name of Object.keys(contracts))
    if (!known.has(name))
      diagnostics.push(
        diagnose('HF302', line('steps'), `steps speaks of ${name}, which the plan does not have.`),
      )
  for (const name of Object.keys(proof))
    if (!declared.has(name))
      diagnostics.push(diagnose('HF311', line('proof'), `proof speaks of ${name}, which no phase declares.`))
  const wanted = sidecar.values['gate']
  const gate = wanted === 'produced' || wanted === 'visited' ? wanted : found.plan.gate
  const contracted = Object.keys(contracts).length > 0
  const plan: Plan = { ...found.plan, gate, explicit: found.plan.explicit || contracted, steps }
  return { ...found, plan, diagnostics: [...found.diagnostics, ...diagnostics] }
}
