import { declaredIn } from '../model/chain/declared.ts'
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml'
import { type Diagnostic, diagnose, type Place } from '../model/diagnostic.ts'
import { LONGEST_PLAN } from './text/bounds.ts'
import { nearest } from '../model/text/nearest.ts'
import { demandsIn, proofFaults, proofFields, readPhases } from './notations/phases-json.ts'
import type { Found } from './notations/frontend.ts'
import { isDemand, readDemands, type Said } from './demands.ts'
import type { Plan, Step } from '../model/plan/plan.ts'
import { applyFields, STEP_FIELDS } from '../model/plan/step-fields.ts'
import { stepFaults, withFaults } from './step-faults.ts'
import type { SourceText } from './text/text.ts'
import { unknownFields } from './text/typed-fields.ts'
import { fieldsOf, isRecord, namesOf } from './text/values.ts'
import { areFlags, areValues, flagsOf, strayValues, valuesOf } from './variables.ts'
import { faultInWords, PARSING, placeOfFault, placesIn, plainFields } from './text/yaml.ts'

/** The holdfast.yaml of a skill, or an overlay: settings for the engine, separate from the text for agents. */
export interface Sidecar {
  readonly values: Readonly<Record<string, unknown>>
  readonly diagnostics: readonly Diagnostic[]
  /** The places of its fields and their children: `proof`, `steps/build`. */
  readonly places: ReadonlyMap<string, Place>
  readonly file: string
}

/** The first known place of these paths, or the beginning of the file. */
export const placeIn = ({ places, file }: Sidecar, ...paths: readonly string[]): Place =>
  paths.map((path) => places.get(path)).find((place) => place !== undefined) ?? { file, line: 1, column: 1 }

const READ_BY_NAME = [
  'gate',
  'phases',
  'pipeline',
  'proof',
  'artifacts',
  'steps',
  'inputs',
  'variables',
  'flags',
  'hold',
  'required_todos',
  'directives',
] as const

const KEYS = [...READ_BY_NAME, 'continuation', 'result', 'uses_skill_run', 'heartbeat', 'stage'] as const

/** The settings of the sidecar besides the plan; unknown keys are kept. */
export const engineSettings = ({ values }: Sidecar): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(values).filter(([key]) => !READ_BY_NAME.some((name) => name === key)))

const nameOf = (file: string): string => file.slice(file.lastIndexOf('/') + 1)

export function readSidecar(source: SourceText): Sidecar {
  const { file } = source
  const name = nameOf(file)
  const top = { file, line: 1, column: 1 }
  const nothing = { values: {}, places: new Map<string, Place>(), file }
  if (source.text.length > LONGEST_PLAN) {
    const message = `${name} has ${source.text.length} characters; the most are ${LONGEST_PLAN}.`
    return { ...nothing, diagnostics: [diagnose('HF119', top, message)] }
  }
  const counter = new LineCounter()
  const document = parseDocument(source.text, { ...PARSING, lineCounter: counter })
  const [fault] = document.errors
  if (fault !== undefined) {
    const message = `${name} is not valid YAML: ${faultInWords(fault)}.`
    return {
      ...nothing,
      diagnostics: [diagnose('HF101', { file, ...placeOfFault(fault, counter) }, message)],
    }
  }
  if (!isMap(document.contents)) {
    const empty = document.contents === null
    return {
      ...nothing,
      diagnostics: empty ? [] : [diagnose('HF114', top, `${name} must be a map of fields.`)],
    }
  }
  const values = plainFields(document.contents)
  const keys = document.contents.items.flatMap(({ key }) =>
    isScalar(key) ? [{ key: String(key.value), line: counter.linePos(key.range?.[0] ?? 0).line }] : [],
  )
  const read = { values, places: placesIn(document.contents, counter, top), file, diagnostics: [] }
  return { ...read, diagnostics: [...keyFaults(keys, file), ...shapeFaults(read), ...twoPlans(read)] }
}

function keyFaults(
  keys: readonly { readonly key: string; readonly line: number }[],
  file: string,
): readonly Diagnostic[] {
  const seen = new Set<string>()
  return keys.flatMap(({ key, line }) => {
    const place = { file, line, column: 1 }
    if (seen.has(key))
      return [diagnose('HF114', place, `${nameOf(file)} has ${key} twice; only the last one is used.`)]
    seen.add(key)
    return unknownFields(nameOf(file), [key], { known: KEYS, code: 'HF118', place })
  })
}

/** The shapes of the fields; without this check, a field of the wrong shape would silently do nothing. */
const SHAPES: Readonly<
  Record<string, { readonly is: (value: unknown) => boolean; readonly wanted: string }>
> = {
  gate: { is: (value) => value === 'visited' || value === 'produced', wanted: 'visited or produced' },
  phases: { is: Array.isArray, wanted: 'a list such as [{label: "1", name: Plan}]' },
  proof: { is: isRecord, wanted: 'fields by phase, such as {"1": [tests_pass]}' },
  steps: { is: isRecord, wanted: 'contracts by step, such as {build: {consumes: [plan]}}' },
  inputs: {
    is: (value) => namesOf(value).length > 0,
    wanted: 'a list of artifacts such as [design-doc]',
  },
  variables: { is: areValues, wanted: 'defaults by name, such as {package: core}' },
  flags: {
    is: areFlags,
    wanted: 'values of variables by flag, such as {--dry-run: {dry_run: "yes"}}; --continue is taken',
  },
  hold: { is: (value) => value === 'stop', wanted: 'stop' },
  required_todos: {
    is: (value) => Array.isArray(value) || typeof value === 'string',
    wanted: 'a list of strings',
  },
  continuation: {
    is: (value) => declaredIn(value) !== undefined,
    wanted: '{cooperative: true, default-exit: ["/commit"], on-error: "/fix"}',
  },
  directives: {
    is: (value) => Array.isArray(value) || typeof value === 'string',
    wanted: 'a list of names such as [TESTING]',
  },
}
const CONTRACT_KEYS = ['consumes', 'produces', ...STEP_FIELDS]

function shapeFaults(sidecar: Sidecar): readonly Diagnostic[] {
  const { values } = sidecar
  const wrong = Object.entries(SHAPES).flatMap(([key, { is, wanted }]) => {
    const value = values[key] ?? undefined
    if (value === undefined || is(value)) return []
    const given = typeof value === 'string' ? `, not ${JSON.stringify(value)}` : ''
    return [diagnose('HF114', placeIn(sidecar, key), `${key} must be ${wanted}${given}.`)]
  })
  const strange = Object.entries(fieldsOf(values['steps'])).flatMap(([name, contract]) =>
    unknownFields(`The contract of step ${name}`, Object.keys(fieldsOf(contract)), {
      known: CONTRACT_KEYS,
      code: 'HF118',
      place: placeIn(sidecar, `steps/${name}`),
    }),
  )
  const stray = strayValues(values).map((name) =>
    diagnose('HF114', placeIn(sidecar, 'flags'), `flags sets ${name}, which variables does not declare.`),
  )
  return [...wrong, ...strange, ...stray]
}

function twoPlans(sidecar: Sidecar): readonly Diagnostic[] {
  const { phases, pipeline } = sidecar.values
  if (!Array.isArray(phases) || pipeline === undefined) return []
  const place = placeIn(sidecar, 'pipeline')
  return [
    diagnose(
      'HF114',
      place,
      `${nameOf(sidecar.file)} has both phases and a pipeline; only the phases are used.`,
    ),
  ]
}

/** Phases in the sidecar define the plan, regardless of the text. */
export function sidecarPhases(sidecar: Sidecar): Found | undefined {
  const { phases } = sidecar.values
  if (!Array.isArray(phases)) return undefined
  return readPhases(phases, sidecar.places, placeIn(sidecar, 'phases'))
}

/** Adds contracts, proof and the gate to a plan from another notation, and makes the plan enforceable. */
export function applySidecar(found: Found | undefined, sidecar: Sidecar): Found | undefined {
  const contracts = fieldsOf(sidecar.values['steps'])
  const proof = fieldsOf(sidecar.values['proof'])
  if (found === undefined) {
    const faults = strayParts(sidecar, [])
    return faults.length === 0 ? undefined : { plan: undefined, diagnostics: faults }
  }
  if (found.plan === undefined) return found
  const contractOf = ({ id, label }: Step) => contracts[id] ?? contracts[label]
  const contracted = found.plan.steps.map((step) => {
    const contract = fieldsOf(contractOf(step))
    const own = proof[step.id] ?? proof[step.label]
    const fields = isDemand(own) ? [] : proofFields(own)
    return {
      ...step,
      ...(contract['consumes'] !== undefined && { consumes: namesOf(contract['consumes']) }),
      ...(contract['produces'] !== undefined && { produces: namesOf(contract['produces']) }),
      ...(fields.length > 0 && { proof: [...new Set([...step.proof, ...fields])] }),
    }
  })
  const { steps, faults: shapes } = applyFields(contracted, contractOf)
  const faults = [...shapes, ...proofFaults(steps, ({ id, label }) => proof[id] ?? proof[label])]
  const asked = demandsOf(found.plan, sidecar)
  const demands = Object.keys(asked.demands).length === 0 ? {} : { demands: asked.demands }
  const wanted = sidecar.values['gate']
  // Evidence for artifacts makes no sense with a gate that only requires reading.
  const unsaid = sidecar.values['artifacts'] === undefined ? found.plan.gate : 'produced'
  const gate = wanted === 'produced' || wanted === 'visited' ? wanted : unsaid
  const isMeant = gate === wanted || Object.keys({ ...contracts, ...proof, ...demands }).length > 0
  const explicit = found.plan.explicit || isMeant
  const strays = strayParts(sidecar, steps)
  const plan: Plan = { ...found.plan, gate, explicit, steps, ...demands, ...planFields(sidecar) }
  const phases = found.phases?.map((phase) => {
    const fields = steps.find(({ label }) => label === phase.label)?.proof ?? []
    return fields.length === 0 ? phase : { ...phase, proof: fields }
  })
  return {
    ...found,
    plan: strays.some(({ code }) => code === 'HF302')
      ? allFaulty(plan)
      : withFaults(plan, faults, asked.faulty),
    ...(phases !== undefined && { phases }),
    diagnostics: [
      ...found.diagnostics,
      ...stepFaults(faults, ({ step }) => placeIn(sidecar, `steps/${step.id}`, `steps/${step.label}`)),
      ...asked.diagnostics,
      ...strays,
      ...idleDemands(sidecar, gate),
    ],
  }
}

/** A contract for an unknown step may be meant for any step. */
const allFaulty = (plan: Plan): Plan => ({ ...plan, faulty: plan.steps.map(({ id }) => id) })

/** What the sidecar says about the plan as a whole. */
function planFields({ values }: Sidecar): Pick<Plan, 'inputs' | 'variables' | 'flags' | 'hold'> {
  const inputs = namesOf(values['inputs'])
  const variables = valuesOf(values['variables'])
  const flags = flagsOf(values['flags'])
  return {
    ...(inputs.length > 0 && { inputs }),
    ...(Object.keys(variables).length > 0 && { variables }),
    ...(Object.keys(flags).length > 0 && { flags }),
    ...(values['hold'] === 'stop' && { hold: 'stop' }),
  }
}

/** Merges the demands of the plan with those of the sidecar for artifacts and proof fields. */
function demandsOf(before: Plan, sidecar: Sidecar) {
  const { values } = sidecar
  const artifacts = Object.entries(fieldsOf(values['artifacts']))
  const said = [
    ...artifacts.map(([name, value]): Said => ({
      name,
      value,
      place: placeIn(sidecar, `artifacts/${name}`, 'artifacts'),
    })),
    ...Object.entries(fieldsOf(values['proof'])).flatMap(([name, value]) =>
      demandsIn(isDemand(value) ? { [name]: value } : value, placeIn(sidecar, `proof/${name}`, 'proof')),
    ),
  ]
  const asked = readDemands(said, before.demands)
  if (values['artifacts'] === undefined || artifacts.length > 0) return asked
  const why = 'artifacts must map each name to fields such as command and covers.'
  return {
    ...asked,
    diagnostics: [diagnose('HF316', placeIn(sidecar, 'artifacts'), why), ...asked.diagnostics],
    faulty: before.steps.flatMap(({ produces }) => produces),
  }
}

function idleDemands(sidecar: Sidecar, gate: Plan['gate']): readonly Diagnostic[] {
  if (gate !== 'visited' || sidecar.values['artifacts'] === undefined) return []
  const why = 'artifacts asks for evidence, but gate: visited ignores it.'
  return [diagnose('HF320', placeIn(sidecar, 'gate'), why)]
}

/** Finds contracts, proof and artifacts with names that the plan does not have. */
function strayParts(sidecar: Sidecar, steps: readonly Step[]): readonly Diagnostic[] {
  const known = new Set(steps.flatMap(({ id, label }) => [id, label]))
  const declared = new Set(steps.flatMap(({ proof }) => proof))
  const produced = new Set(steps.flatMap(({ produces }) => produces))
  const strays = (key: string, isKnown: (name: string, value: unknown) => boolean) =>
    Object.entries(fieldsOf(sidecar.values[key]))
      .filter(([name, value]) => !isKnown(name, value))
      .map(([name]) => ({ name, place: placeIn(sidecar, `${key}/${name}`, key) }))
  return [
    ...strays('steps', (name) => known.has(name)).map(({ name, place }) =>
      diagnose('HF302', place, `steps names ${name}, which is not a step of the plan.`),
    ),
    // A demand belongs to a proof field; a list of fields may also belong to a phase.
    ...strays('proof', (name, value) => declared.has(name) || (!isDemand(value) && known.has(name))).map(
      ({ name, place }) => diagnose('HF311', place, `proof names ${name}, which no phase declares.`),
    ),
    ...strays('artifacts', (name) => produced.has(name)).map(({ name, place }) => {
      const [meant] = nearest(name, [...produced])
      const hint = meant === undefined ? '.' : `; did you mean ${meant}?`
      return diagnose('HF317', place, `artifacts names ${name}, which no step produces${hint}`)
    }),
  ]
}
