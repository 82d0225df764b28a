import { advance, begin, type Progress } from './advance.ts'
import { NOTHING_RECORDED } from './evidence.ts'
import { go, type Moved } from './moves.ts'
import {
  isLetter,
  isPhaseLabel,
  labelsAfter,
  type Phase,
  phasesIn,
  phaseText,
  segments,
  splitPhase,
} from './phase.ts'
import { joinPhase } from './phase-plan.ts'
import { type Plan, stepOf } from './plan.ts'

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
  const { current, proof, plan, progress } = question
  const asked = splitPhase(question.requested)
  const from = current === null ? undefined : splitPhase(current).label
  if (from === asked.label && !wasLeft(plan, progress, from)) return { kind: 'same' }
  if (asked.label === '') return { kind: 'unknown', message: 'A phase needs a label, such as "3.A: Build".' }
  const phases = plan === undefined ? [] : phasesIn(plan)
  if (plan === undefined || phases.length === 0) return { kind: 'enter', phase: phaseText(asked) }
  const joined = withPhase(plan, from, asked)
  const step = joined?.steps.find(({ label }) => label === asked.label)
  if (joined === undefined || step === undefined)
    return { kind: 'unknown', message: unknownPhase(phases, asked.label) }
  const phase = phaseText({ label: step.label, name: step.title })
  const moved = enterPhase(joined, progress, asked.label, { proof })
  if (moved.ok) return { kind: 'enter', phase }
  const inOrder = enterPhase(joined, progress, asked.label, { proof: allProof(joined) }).ok
  const missing = moved.owed?.proof ?? []
  const waits = moved.owed?.reports ?? 0
  if (waits > 0) return { kind: 'refuse', phase, message: waitsFor(current, waits), allowed: [], missing: [] }
  const declaredNext = nextPhases(plan, progress)
  const allowed = inOrder && !declaredNext.includes(phase) ? [phase, ...declaredNext] : declaredNext
  const isSpent = (progress.visits[step.id]?.attempts ?? 0) >= (step.limit ?? Infinity)
  const message = inOrder
    ? proofMissing(current, missing)
    : isSpent
      ? `Phase ${JSON.stringify(phase)} has reached its limit of ${step.limit}.`
      : progress.status === 'parked'
        ? `The plan is parked. ${progress.reason ?? ''}`.trim()
        : outOfOrder(current, phase, allowed)
  // Proof does not help a phase that cannot start.
  const isHelped = inOrder || !isSpent
  return { kind: 'refuse', phase, message, allowed, missing: isHelped ? missing : [] }
}

/** True if an effort has ended its last phase and entered no other. */
const wasLeft = (plan: Plan | undefined, { current }: Progress, label: string): boolean =>
  plan?.steps.some((step) => step.label === label) === true && !current.includes(label)

/** Enters a phase with the proof of the one that it leaves; the user may approve what the plan refuses. */
const enterPhase = (
  plan: Plan,
  progress: Progress,
  label: string,
  { proof, approved }: { readonly proof: Readonly<Record<string, unknown>>; readonly approved?: boolean },
): Moved => go(plan, progress, label, { recorded: NOTHING_RECORDED, proof }, approved)

const allProof = (plan: Plan): Readonly<Record<string, unknown>> =>
  Object.fromEntries(plan.steps.flatMap(({ proof }) => proof.map((field) => [field, true])))

/** The plan with the wanted phase: its own, or a sub-phase that joins it here. */
export function withPhase(
  plan: Plan,
  from: string | undefined,
  asked: Pick<Phase, 'label' | 'name'>,
): Plan | undefined {
  if (plan.steps.some(({ label }) => label === asked.label)) return plan
  // What is optional may be passed.
  const required = phasesIn(plan).filter(({ optional }) => optional !== true)
  const follows = from !== undefined && labelsAfter([...required, asked], from).includes(asked.label)
  return follows && mayBeAdded(from, asked.label) ? joinPhase(plan, from, asked) : undefined
}

/** The progress of an effort that is known only by its current phase. */
export function progressIn(plan: Plan, label: string | undefined, visits: Progress['visits'] = {}): Progress {
  if (label === undefined) return begin(plan)
  const isKnown = plan.steps.some((step) => step.id === label)
  // A phase that the plan no longer has leads to those that come after its label.
  return {
    status: 'running',
    current: isKnown ? [label] : [],
    open: isKnown ? [] : labelsAfter(phasesIn(plan), label),
    visits,
  }
}

/** The phases that may follow once the proof is given: after success first, then by other outcomes. */
export function nextPhases(plan: Plan, progress: Progress): readonly string[] {
  const [current] = progress.current
  const here = current === undefined ? undefined : stepOf(plan, current)
  const open =
    here === undefined
      ? progress.open
      : Object.keys(here.next ?? {}).flatMap((outcome) => {
          const left = advance(plan, progress, { kind: 'leave', step: here.id, outcome })
          return left.ok ? left.progress.open : []
        })
  return [...new Set(open)]
    .filter((id) => id !== current)
    .flatMap((id) => {
      const step = stepOf(plan, id)
      return step === undefined ? [] : [phaseText({ label: step.label, name: step.title })]
    })
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

const waitsFor = (current: string | null, waits: number): string =>
  `Phase ${JSON.stringify(current)} waits for ${waits} more of its sub-agents.`

function outOfOrder(current: string | null, phase: string, allowed: readonly string[]): string {
  const names = allowed.map((one) => JSON.stringify(one)).join(' or ')
  const next =
    allowed.length === 0
      ? 'No phase is left: finish the effort.'
      : current === null
        ? `The first phase is ${names}.`
        : allowed.includes(current)
          ? `Next is phase ${names}.`
          : `The phase after ${JSON.stringify(current)} is ${names}.`
  return `Phase ${JSON.stringify(phase)} is out of order. ${next}`
}
