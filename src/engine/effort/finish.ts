import type { Effort } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import { remarksOn } from '../../model/plan/action-words.ts'
import { endAll, stepsLeft } from '../../model/plan/moves.ts'
import { doneCommand, nextActions, showCommand } from '../../model/plan/next-action.ts'
import { checkState } from './step-said.ts'
import { valuesToLeave } from '../../model/plan/plan-for.ts'
import { formText } from '../../model/result.ts'
import { listed, oneLine, quoted } from '../../model/text/line.ts'
import { lockEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { unfinishedItem } from '../../store/work.ts'
import type { Call } from '../call/method.ts'
import { withEvidence } from '../plan/proof.ts'
import { followedBy } from '../plan/plan.ts'
import { storedProgress, storeProgress } from '../plan/progress.ts'
import type { SeenFiles } from '../plan/recorded.ts'
import { keepValues } from '../plan/values.ts'
import { checkResult } from './check-result.ts'
import { type Asker, effortToChange } from './holder.ts'
import { closeEffort } from './after-move.ts'
import { beginExits } from './exits.ts'
import { closingCommand, isKeptOpen, isOpenWork, type OpenWork, openWork } from './open-work.ts'

interface Finishing extends Asker {
  readonly effort_id: number
  readonly keywords?: string | undefined
  readonly description?: string | undefined
  /** The proof of the last phase. */
  readonly proof?: Readonly<Record<string, unknown>> | undefined
  /** Why it ends although something is open. */
  readonly abandon?: string | undefined
  /** What it ends with. */
  readonly result?: unknown
}

/** Finishes an effort whose plan is carried out; anything else must be abandoned with a reason. */
export async function finish(tx: Tx, wish: Finishing, files: SeenFiles, call: Call): Promise<Effort> {
  // Locked at once, because another call may finish it meanwhile.
  const row = await lockEffort(tx, { id: wish.effort_id })
  if (row?.lifecycle === 'finished') return toEffort(row)
  const { effort_id, agent_id, native_id, abandon, proof: said = {} } = wish
  const effort = await effortToChange(tx, { effort_id, agent_id, native_id }, 'finished', call.context)
  const before = { ...(await followedBy(tx, effort, files)), effort }
  checkResult(effort, before.resultSchema, wish.result)
  const values = valuesToLeave(before, before.progress.current, said)
  checkState(before, values, 'proof')
  const followed = await keepValues(tx, before, { values, files }, call)
  const { plan, progress, recorded, digest, isAdvice } = followed
  const work = await openWork(tx, { ...effort, result: wish.result ?? null }, files)
  const isGone = plan === undefined && (await storedProgress(tx, effort.id)) !== undefined
  const isOpen = progress.status !== 'completed' || isOpenWork(work) || isGone
  if (abandon !== undefined && isOpen)
    return await closeEffort(tx, { ...wish, outcome: 'abandoned', reason: abandon }, call)
  if (isGone) throw planGone(effort)
  if (plan === undefined || plan.steps.length === 0) {
    if (isOpenWork(work)) throw notClosed(effort, work)
    if ((await unfinishedItem(tx, { effort_id: effort.id })) !== undefined)
      throw notYet(effort, {
        what: 'has items that are not done.',
        field: 'effort_id',
        hint: `holdfast work list --effort ${effort.id}`,
      })
    return await closeEffort(tx, wish, call)
  }
  const { proof } = await withEvidence(tx, { effort, demands: plan.demands, said }, files)
  const { progress: now, owed } = endAll(plan, progress, { recorded, proof })
  if (now.status !== 'completed' && !isAdvice) {
    const left = stepsLeft(plan, progress).map(({ label }) => quoted(label))
    const next =
      owed === undefined || owed.reports > 0
        ? nextActions(effort, followed)[0]
        : doneCommand(effort.id, plan, owed.step, { owed, said })
    throw notDone(effort, { left: listed(left, ROOM), owed: owed?.proof ?? [], next, why: now.reason })
  }
  if (isKeptOpen(work, isAdvice)) throw notClosed(effort, work)
  if (now !== progress) await storeProgress(tx, { effort_id: effort.id, digest }, { progress: now }, call)
  const closed = await closeEffort(tx, { ...wish, outcome: 'completed' }, call)
  await beginExits(tx, closed, call)
  return closed
}

const ROOM = 600

/** Without its plan, nobody knows what a begun effort still owes. */
const planGone = (effort: Effort): EngineError =>
  notYet(effort, {
    what: `has begun a plan that skill ${effort.skill} no longer has.`,
    field: 'effort_id',
    hint: `holdfast effort finish ${effort.id} --abandon WHY`,
  })

function notDone(
  effort: Effort,
  about: {
    readonly left: string
    readonly owed: readonly string[]
    readonly next: string | undefined
    readonly why: string | undefined
  },
): EngineError {
  const { left, owed, next = showCommand(effort.id), why } = about
  const open = why === undefined ? `is open at: ${left}.` : `is parked. ${why}`
  const what = owed.length === 0 ? open : `still owes proof of: ${owed.join(', ')}.`
  return notYet(effort, { what, field: owed.length === 0 ? 'effort_id' : 'proof', hint: next })
}

function notClosed(effort: Effort, work: OpenWork): EngineError {
  const { todos, unwritten, owed } = work
  const hint = closingCommand(effort.id, work)
  if (todos.length > 0) {
    const what = `has open todos: ${listed(todos, ROOM)}.`
    return notYet(effort, { what, field: 'effort_id', hint })
  }
  if (unwritten !== undefined) {
    const what = `has no result of its run: write ${oneLine(unwritten)}, then finish it.`
    return notYet(effort, { what, field: 'effort_id', hint })
  }
  const form = owed === undefined ? '' : ` ${formText(owed)}`
  return notYet(effort, { what: `has no result.${form}`, field: 'result', hint })
}

function notYet(
  { id, skill, current_phase }: Effort,
  { what, field, hint }: { readonly what: string; readonly field: string; readonly hint: string },
): EngineError {
  const reason = `Effort ${id} ${what} The user can give it up, with --abandon and a reason.`
  return new EngineError('refused', [reason, ...remarksOn([hint])].join(' '), {
    field,
    hint,
    record: {
      event_type: 'effort.refused',
      skill,
      phase: current_phase ?? '',
      effort_id: id,
      payload: { reason },
    },
  })
}
