import { advance, type Progress } from './advance.ts'
import {
  isLetter,
  isPhaseLabel,
  missingProof,
  nextPhases,
  phasesIn,
  phaseText,
  proofToLeave,
  segments,
  splitPhase,
} from './phase.ts'
import { planOfPhases } from './phase-plan.ts'
import type { Phase } from './phase.ts'
import type { Plan } from './plan.ts'
import { leaveAll } from './visit.ts'

/** The verdict on a request to enter a phase. */
export type PhaseVerdict =
  | { readonly kind: 'same' }
  | { readonly kind: 'enter'; readonly phase: string }
  | { readonly kind: 'unknown'; readonly message: string }
  | {
      readonly kind: 'refuse'
      readonly phase: string
      readonly message: string
      /** The phases that may be entered from here. */
      readonly allowed: readonly string[]
      /** The proof fields that are missing. */
      readonly missing: readonly string[]
    }

/** A request to enter a phase, with the state of the effort. */
export interface PhaseWish {
  /** Undefined if the skill declares no phases. */
  readonly plan: Plan | undefined
  readonly progress: Progress
  readonly current: string | null
  readonly requested: string
}

/** Decides whether an effort may enter a phase, by the plan and the given proof. */
export function judgePhase(
  question: PhaseWish & { readonly proof: Readonly<Record<string, unknown>> },
): PhaseVerdict {
  const { current, proof, plan } = question
  const asked = splitPhase(question.requested)
  const from = current === null ? undefined : splitPhase(current).label
  if (from === asked.label) return { kind: 'same' }
  if (asked.label === '') return { kind: 'unknown', message: 'A phase needs a label, such as "3.A: Build".' }
  const phases = plan === undefined ? [] : phasesIn(plan)
  if (phases.length === 0) return { kind: 'enter', phase: phaseText(asked) }

  const declared = phases.find((phase) => phase.label === asked.label)
  const inOrder = enterPhase(question) !== undefined
  if (declared === undefined && !(inOrder && mayBeAdded(from, asked.label)))
    return { kind: 'unknown', message: unknownPhase(phases, asked.label) }

  const phase = phaseText(declared ?? asked)
  const missing = missingProof(proofToLeave(plan, current), proof)
  if (inOrder && missing.length === 0) return { kind: 'enter', phase }
  const declaredNext = plan === undefined ? [] : nextPhases(plan, current)
  const allowed = inOrder && !declaredNext.includes(phase) ? [phase, ...declaredNext] : declaredNext
  const message = inOrder ? proofMissing(current, missing) : outOfOrder(current, phase, allowed)
  return { kind: 'refuse', phase, message, allowed, missing }
}

/** The progress after entering a phase and leaving the previous one; undefined if not allowed. */
export function enterPhase(
  { plan: declared, progress, current, requested }: PhaseWish,
  approved = false,
): Progress | undefined {
  if (declared === undefined) return undefined
  const asked = splitPhase(requested)
  const plan = withDetours(declared, [...(current === null ? [] : [splitPhase(current)]), asked])
  const entered = advance(plan, leaveAll(plan, progress), { kind: 'enter', step: asked.label, approved })
  return entered.ok ? entered.progress : undefined
}

/** Adds the effort's own phases to a copy of the skill's plan. */
function withDetours(plan: Plan, phases: readonly Pick<Phase, 'label' | 'name'>[]): Plan {
  const known = new Set(plan.steps.map(({ label }) => label))
  const detours = phases.filter(({ label }) => !known.has(label))
  return detours.length === 0 ? plan : planOfPhases([...phasesIn(plan), ...detours])
}

/** An effort may add a numbered sub-phase to its current major phase. */
function mayBeAdded(from: string | undefined, label: string): boolean {
  if (from === undefined || !isPhaseLabel(label)) return false
  const path = segments(label)
  return path.length > 1 && path[0] === segments(from)[0] && !isLetter(path.at(-1))
}

function unknownPhase(phases: readonly Phase[], label: string): string {
  const known = phases.map(phaseText).join(', ')
  return `The skill has no phase ${JSON.stringify(label)}. Its phases: ${known}.`
}

function proofMissing(current: string | null, missing: readonly string[]): string {
  return `Leaving phase ${JSON.stringify(current)} requires proof of: ${missing.join(', ')}.`
}

function outOfOrder(current: string | null, phase: string, allowed: readonly string[]): string {
  const names = allowed.map((one) => JSON.stringify(one)).join(' or ')
  const next =
    allowed.length === 0
      ? 'No phase is left: finish the effort.'
      : current === null
        ? `The first phase is ${names}.`
        : `The phase after ${JSON.stringify(current)} is ${names}.`
  return `Phase ${JSON.stringify(phase)} is out of order. ${next}`
}
