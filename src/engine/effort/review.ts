import { targetsFor } from '../../model/plan/opening.ts'
import { nameOf } from '../../model/plan/next-action.ts'
import { type Gate, type Plan, type Step, stepOf } from '../../model/plan/plan.ts'
import { PASS, returnedBy } from '../../model/plan/returned.ts'
import type { Values } from '../../model/plan/plan-for.ts'
import { shellWord } from '../../model/shell/word.ts'
import { blockingIn } from '../../model/workflow/severity.ts'
import type { GateView, ReviewView } from '../../model/workflow/view.ts'
import type { Tx } from '../../store/query.ts'
import { roundIn, roundsOf } from '../plan/rounds.ts'
import { visitOf } from './children.ts'
import type { Mover } from './mover.ts'

type GateStep = Step & { readonly gate: Gate }

const isGate = (step: Step | undefined): step is GateStep => step?.gate !== undefined

/**
 * The loop of reviews as a step sees it that reviews, or that does its work again after a failed review. The gate counts
 * the rounds, so a reviewer that was lost counts none.
 */
export async function reviewOf(tx: Tx, mover: Mover, step: Step): Promise<ReviewView | null> {
  const { plan, progress } = mover
  const own = stepOf(plan, step.review?.gate ?? '')
  const gate = isGate(own) ? own : plan.steps.find((one) => isGate(one) && hasSentBack(mover, one, step))
  if (!isGate(gate)) return null
  const { name, fix } = gate.gate
  const iteration = (progress.visits[gate.id]?.attempts ?? 0) + 1
  const failed = gate !== own
  return {
    name,
    qr: { iteration, failed, status: null },
    rounds: roundsOfGate(plan, gate),
    blocking: blockingIn(iteration),
    // Every round is a fresh review, so a reviewer gets no earlier report.
    report: failed ? reportIn(await saidBy(tx, mover, gate.gate)) : null,
    fix,
  }
}

/** How often the work of a gate may be done; the author of the plan says so. */
const roundsOfGate = (plan: Plan, { gate }: GateStep): number | null => stepOf(plan, gate.work)?.limit ?? null

/** True if a review failed and its work is to be done again, or is being done. */
function hasSentBack({ progress }: Pick<Mover, 'progress'>, gate: GateStep, { id }: Step): boolean {
  const { outcome, waived = false } = progress.visits[gate.id] ?? {}
  return gate.gate.work === id && outcome !== undefined && !waived && leadsBack(gate, outcome)
}

const leadsBack = (gate: GateStep, outcome: string): boolean =>
  targetsFor(gate, outcome)?.includes(gate.gate.work) === true

/** The gate that a step is, with how its review ended; the user's choices once its rounds are used up. */
export async function gateOf(tx: Tx, mover: Mover, step: Step): Promise<GateView | null> {
  if (!isGate(step)) return null
  const { name, message, fix } = step.gate
  const { visits, current } = mover.progress
  const { attempts: iteration = 1, outcome } = visits[step.id] ?? {}
  const said = await saidBy(tx, mover, step.gate)
  const passed =
    current.includes(step.id) || outcome === undefined ? said['result'] === PASS : !leadsBack(step, outcome)
  return {
    name,
    qr: { iteration, failed: false, status: passed ? 'pass' : 'fail' },
    rounds: roundsOfGate(mover.plan, step),
    blocking: blockingIn(iteration),
    report: passed ? null : reportIn(said),
    fix,
    message,
    choices: parkedGate(mover)?.id === step.id ? choicesOf(mover, step) : [],
  }
}

/** The gate whose rounds are used up, so that the user decides. */
export function parkedGate(mover: Mover): Step | undefined {
  const { plan, progress } = mover
  if (progress.status !== 'parked') return undefined
  return plan.steps.findLast((one) => {
    const work = isGate(one) ? stepOf(plan, one.gate.work) : undefined
    if (!isGate(one) || work === undefined || !hasSentBack(mover, one, work)) return false
    return (progress.visits[work.id]?.attempts ?? 0) >= (work.limit ?? Infinity)
  })
}

/** What the review of a gate returned in its last round. */
async function saidBy(tx: Tx, mover: Mover, { review: id }: Gate): Promise<Values> {
  const review = stepOf(mover.plan, id)
  if (review === undefined) return {}
  const rounds = await roundsOf(tx, mover.effort.id)
  return returnedBy(review, roundIn(rounds, id, visitOf(mover, review)).children)
}

const reportIn = ({ report = '' }: Values): string | null => (report === '' ? null : report)

/** Each choice of the user with its command; a check at the end is itself what the user approves. */
function choicesOf({ effort, plan, progress }: Mover, own: GateStep): GateView['choices'] {
  const { gate, next = {} } = own
  const work = stepOf(plan, gate.work)
  const [after] = next[PASS] ?? []
  const pass = after === undefined ? own : stepOf(plan, after)
  const approve = (step: Step | undefined, label: string) =>
    step === undefined
      ? []
      : [
          {
            label,
            command: `holdfast effort approve ${effort.id} ${shellWord(nameOf(plan, step))} --reason ${shellWord(label.toLowerCase())}`,
          },
        ]
  const reason = `the review failed in round ${progress.visits[own.id]?.attempts ?? 1}`
  return [
    ...approve(work, 'Continue iterating'),
    ...approve(pass, 'Skip this check'),
    { label: 'Abort', command: `holdfast effort finish ${effort.id} --abandon ${shellWord(reason)}` },
  ]
}
