import { begin, type Progress } from '../model/plan/advance.ts'
import type { HookEvent } from '../model/event.ts'
import { isStrict, type Level } from '../model/level.ts'
import { fillIn } from '../model/plan/action-words.ts'
import { endAll, type Owed, stepsLeft } from '../model/plan/moves.ts'
import { fullName } from '../model/plan/phase.ts'
import type { Plan } from '../model/plan/plan.ts'
import { provenIn, type Recorded } from '../model/plan/evidence.ts'
import { finishCommand, owedResult } from '../model/result.ts'
import { listed, quoted } from '../model/text/line.ts'
import type { Facts, Turn } from './facts.ts'
import { rule, type Verdict } from './rule.ts'
import { needsNoMore } from './spans.ts'
import { nextAction } from './told/next-action.ts'
import { stillOpen } from './told/words.ts'

/** An agent that moved its plan in this turn is asked once to go on, if something required is open. */
export const stopGate = rule({
  name: 'stop-gate',
  summary: 'refuses, once per turn, to end a turn in which the plan was moved and is not done',
  on: ['turn.stopped'],
  wakes: ({ event }, { watch }) => watch.hasPlan === true && mayBeHeld(event),
  needs: ['work', 'turn', 'calling'],
  judge(event, { work, turn, calling, level }) {
    if (work === undefined || !mayBeHeld(event)) return undefined
    if (turn?.isHeld === true || calling?.turn.isHeld === true) return undefined
    const own = heldBy(work, turn, level)
    // A skill that was called and needs no more must not hide the work that called it.
    return own !== undefined || calling === undefined || !needsNoMore(work)
      ? own
      : heldBy(calling.work, calling.turn, level)
  },
})

/** The refusal for a plan that moved in this turn and is open. */
function heldBy(work: NonNullable<Facts['work']>, turn: Turn | undefined, level: Level): Verdict | undefined {
  if (work.plan === undefined || !work.enforceable) return undefined
  if (turn?.hasMoved !== true || turn.isWaiting) return undefined
  const { plan, effort, recorded, progress = begin(plan) } = work
  if (!isStrict(level) && plan.hold !== 'stop') return undefined
  const open = openIn(plan, progress, recorded)
  const owed =
    open.length === 0 && needsNoMore({ ...work, resultSchema: undefined }) ? owedIn(work) : undefined
  if (open.length === 0 && owed === undefined) return undefined
  const what = stillOpen(effort.id, work.name, owed === undefined ? listed(open, ROOM) : 'its result')
  const reason = `${what} ${owed ?? nextAction({ ...work, plan, progress })}`
  return { block: { reason, skill: work.name, effort: effort.id, turn: true } }
}

const ROOM = 600

/** A turn that goes on after a refusal, waits for work, or lets the user look at a proposal is free to end. */
const mayBeHeld = (event: HookEvent): boolean =>
  event.kind === 'turn.stopped' && !event.again && event.running === 0 && event.permissionMode !== 'plan'

/** What gives the result that an effort owes; undefined if it owes none. */
function owedIn(work: NonNullable<Facts['work']>): string | undefined {
  const owed = owedResult(work, work.effort)
  if (owed === undefined) return undefined
  const command = finishCommand(work.effort.id, owed)
  return [...fillIn([command]), `Next: run ${command}`].join(' ')
}

/** What is required and not done; nothing if the plan waits for the user. */
function openIn(plan: Plan, progress: Progress, recorded: Recorded): readonly string[] {
  const { progress: now, owed } = endAll(plan, progress, { recorded, proof: provenIn(recorded) })
  if (progress.status === 'parked' || now.status === 'parked') return []
  const left = stepsLeft(plan, now)
  const isOwing = owed !== undefined && plan.faulty?.includes(owed.step.id) !== true
  const steps = isOwing && !left.includes(owed.step) ? [owed.step, ...left] : left
  return steps.map((step) => {
    const name = quoted(fullName(plan, step))
    return step === owed?.step ? `${name}${owes(owed)}` : name
  })
}

function owes({ artifacts, proof }: Owed): string {
  const names = [...artifacts, ...proof]
  return names.length === 0 ? '' : ` (owes ${names.map((name) => quoted(name)).join(', ')})`
}
