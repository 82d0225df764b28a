import type { Effort } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import { endAll, stepsLeft } from '../../model/plan/moves.ts'
import { doneCommand, nextActions } from '../../model/plan/next-action.ts'
import { listed, quoted } from '../../model/text/line.ts'
import { lockEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'
import { withEvidence } from '../plan/phase-move.ts'
import { followedBy } from '../plan/plan.ts'
import { keepValues, storeProgress } from '../plan/progress.ts'
import type { SeenFiles } from '../plan/recorded.ts'
import { closeEffort } from './life.ts'
import { activeEffort } from './ownership.ts'

interface Finishing {
  readonly effort_id: number
  readonly keywords?: string | undefined
  readonly description?: string | undefined
  /** The proof of the last phase. */
  readonly proof?: Readonly<Record<string, unknown>> | undefined
  /** Why it ends although something is open. */
  readonly abandon?: string | undefined
}

/** Finishes an effort whose plan is carried out; anything else must be abandoned with a reason. */
export async function finish(tx: Tx, wish: Finishing, files: SeenFiles, call: Call): Promise<Effort> {
  // Locked at once, because another call may finish it meanwhile.
  const row = await lockEffort(tx, { id: wish.effort_id })
  if (row?.lifecycle === 'finished') return toEffort(row)
  const effort = await activeEffort(tx, wish.effort_id, 'finished')
  const { abandon, proof: said = {} } = wish
  const { plan, progress, recorded, digest, isAdvice, values } = await followedBy(tx, effort, files, said)
  await keepValues(tx, { effort, values }, call)
  if (plan === undefined || plan.steps.length === 0) return await closeEffort(tx, wish, call)
  const { proof } = await withEvidence(tx, { effort, demands: plan.demands, said }, files)
  const { progress: now, owed } = endAll(plan, progress, { recorded, proof })
  const isDone = now.status === 'completed'
  if (!isDone && !isAdvice && abandon === undefined) {
    const left = stepsLeft(plan, now).map(({ label }) => quoted(label))
    const next =
      owed === undefined || owed.reports > 0
        ? nextActions(effort, { plan, progress, recorded })[0]
        : doneCommand(effort.id, plan, owed.step, { owed, said })
    throw notDone(effort, { left: listed(left, ROOM), owed: owed?.proof ?? [], next, why: now.reason })
  }
  if (now !== progress) await storeProgress(tx, { effort_id: effort.id, digest }, { progress: now }, call)
  const outcome = isDone || abandon === undefined ? 'completed' : 'abandoned'
  return await closeEffort(
    tx,
    { ...wish, outcome, ...(outcome === 'abandoned' && { reason: abandon }) },
    call,
  )
}

const ROOM = 600

function notDone(
  { id, skill, current_phase }: Effort,
  about: {
    readonly left: string
    readonly owed: readonly string[]
    readonly next: string | undefined
    readonly why: string | undefined
  },
): EngineError {
  const { left, owed, next, why } = about
  const open = why === undefined ? `is open at: ${left}.` : `is blocked. ${why}`
  const what = owed.length === 0 ? open : `still owes proof of: ${owed.join(', ')}.`
  const message = `Effort ${id} ${what} The user can give it up, with --abandon and a reason.`
  return new EngineError('refused', message, {
    field: owed.length === 0 ? 'effort_id' : 'proof',
    hint: next ?? `holdfast step --effort ${id}`,
    record: {
      event_type: 'effort.refused',
      skill,
      phase: current_phase ?? '',
      effort_id: id,
      payload: { reason: message },
    },
  })
}
