import { type Diagnostic, type DiagnosticCode, diagnose, type Place } from '../model/diagnostic.ts'
import { MOST_STEPS, type Plan } from '../model/plan/plan.ts'
import type { StepFault } from '../model/plan/step-fields.ts'
import type { Found } from './notations/frontend.ts'
import { given } from './text/typed-fields.ts'

/** The faults of step fields as diagnostics; notations have codes of their own for a wrong shape. */
export const stepFaults = (
  faults: readonly StepFault[],
  placeOf: (fault: StepFault) => Place = ({ step }) => step.place,
  code: DiagnosticCode = 'HF321',
): readonly Diagnostic[] =>
  faults.map((fault) => {
    const { step, key, kind } = fault
    return kind === 'shape'
      ? diagnose(
          code,
          placeOf(fault),
          `Step ${step.label}: ${key} must be ${fault.wanted}, not ${given(fault.value)}.`,
        )
      : diagnose(
          'HF302',
          placeOf(fault),
          `Step ${step.label} leads to ${fault.target}, which does not exist.`,
        )
  })

/** The plan with the steps that have faults, or that need evidence of which the requirement is not valid. */
export function withFaults(plan: Plan, faults: readonly StepFault[], names: readonly string[] = []): Plan {
  const needy = plan.steps.filter(({ produces, proof }) =>
    names.some((name) => produces.includes(name) || proof.includes(name)),
  )
  const faulty = new Set([
    ...(plan.faulty ?? []),
    ...faults.map(({ step }) => step.id),
    ...needy.map(({ id }) => id),
  ])
  return faulty.size === 0 ? plan : { ...plan, faulty: [...faulty] }
}

/** What a notation found, without a plan that has too many steps. */
export function withinSize(found: Found | undefined): Found | undefined {
  const steps = found?.plan?.steps ?? []
  const over = steps[MOST_STEPS]
  if (found === undefined || over === undefined) return found
  const message = `The plan has ${steps.length} steps; the most are ${MOST_STEPS}.`
  return { plan: undefined, diagnostics: [...found.diagnostics, diagnose('HF325', over.place, message)] }
}
