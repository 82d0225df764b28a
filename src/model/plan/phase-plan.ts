import type { Place } from '../diagnostic.ts'
import { compareLabels, type Phase } from './phase.ts'
import type { Plan, Step } from './plan.ts'
import { applyFields, type StepFault } from './step-fields.ts'
import { firstPhases, inPhases } from './sequence.ts'

/** Phases stored by hand are in no file. */
const NOWHERE: Place = { file: '', line: 1, column: 1 }

/** The graph of declared phases. */
export const planOfPhases = (phases: readonly Phase[]): Plan => readPhasePlan(phases).plan

/** The graph of declared phases, ordered by label, with the faults of their fields. */
export function readPhasePlan(
  phases: readonly Phase[],
  placeOf = (_label: string): Place => NOWHERE,
): { readonly plan: Plan; readonly faults: readonly StepFault[] } {
  const written = new Map(phases.map((phase) => [phase.label, phase]))
  const bare = phases
    .toSorted((a, b) => compareLabels(a.label, b.label))
    .map((phase): Step => ({
      id: phase.label,
      label: phase.label,
      title: phase.name,
      optional: false,
      consumes: [],
      produces: [],
      proof: phase.proof ?? [],
      place: placeOf(phase.label),
    }))
  const { steps, faults } = applyFields(bare, ({ label }) => written.get(label))
  const ordered = inPhases(steps)
  const entry = firstPhases(ordered)
  return { plan: { notation: 'phases', explicit: true, gate: 'visited', entry, steps: ordered }, faults }
}

/** The same plan with labels as ids, because efforts enter phases by label. */
export function byLabels(plan: Plan): Plan {
  const labels = new Map(plan.steps.map(({ id, label }) => [id, label]))
  const named = (ids: readonly string[]) => ids.map((id) => labels.get(id) ?? id)
  return {
    ...plan,
    entry: named(plan.entry),
    ...(plan.faulty !== undefined && { faulty: named(plan.faulty) }),
    steps: plan.steps.map((step) => ({
      ...step,
      id: step.label,
      ...(step.onError !== undefined && { onError: labels.get(step.onError) ?? step.onError }),
      ...(step.onLimit !== undefined && { onLimit: labels.get(step.onLimit) ?? step.onLimit }),
      ...(step.next !== undefined && {
        next: Object.fromEntries(Object.entries(step.next).map(([outcome, ids]) => [outcome, named(ids)])),
      }),
    })),
  }
}

/** The plan with a sub-phase that an effort added after a phase; whatever follows that one follows it too. */
export function joinPhase(plan: Plan, from: string, own: Pick<Phase, 'label' | 'name'>): Plan {
  const here = plan.steps.find(({ label }) => label === from)
  if (here === undefined) return plan
  const labels = new Map(plan.steps.map(({ id, label }) => [id, label]))
  const isLater = (id: string) => compareLabels(labels.get(id) ?? '', own.label) > 0
  const ok = here.next?.['ok'] ?? []
  const joined: Step = {
    id: own.label,
    label: own.label,
    title: own.name,
    optional: true,
    consumes: [],
    produces: [],
    proof: [],
    next: { ...here.next, ok: ok.filter(isLater), skip: ok.filter(isLater) },
    place: here.place,
  }
  // A way into an optional phase is also a way past it.
  const leadsOn = (step: Step) =>
    step === here || (here.optional && step.next?.['ok']?.includes(here.id) === true)
  const withJoined = (ids: readonly string[]) => [
    ...ids.filter((id) => !isLater(id)),
    joined.id,
    ...ids.filter(isLater),
  ]
  const steps = plan.steps.map((step) => {
    const { ok: after, skip } = step.next ?? {}
    if (after === undefined || !leadsOn(step)) return step
    const past = skip === undefined ? {} : { skip: withJoined(skip) }
    return { ...step, next: { ...step.next, ok: withJoined(after), ...past } }
  })
  return { ...plan, steps: [...steps, joined].toSorted((a, b) => compareLabels(a.label, b.label)) }
}
