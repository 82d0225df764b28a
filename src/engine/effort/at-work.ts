import { type Effort, isUnfinished, NOT_STARTED } from '../../model/effort.ts'
import { failureTexts } from '../../model/plan/failure.ts'
import { nextActions } from '../../model/plan/next-action.ts'
import { type Plan, stepOf } from '../../model/plan/plan.ts'
import { progressText } from '../../model/plan/progress-text.ts'
import type { Session } from '../../model/session.ts'
import { declaredStage } from '../../model/stage.ts'
import { statusText } from '../../model/status-line.ts'
import { counted } from '../../model/text/line.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import { otherWindowsOf } from '../../store/holder.ts'
import type { Tx } from '../../store/query.ts'
import { newestOpenOf, type SessionRow, toSession } from '../../store/session.ts'
import type { Volatile } from '../../store/volatile.ts'
import { placeOfEffort } from '../../store/workplace.ts'
import { type Followed, followedBy } from '../plan/plan.ts'
import { bodyAtWork } from './body-counts.ts'
import { lastWindow } from './holder.ts'
import { setAsideBy } from './set-aside.ts'
import { storedProgress } from '../plan/progress.ts'

/** An effort as users see it: its progress, its next action and its session. */
export interface AtWork extends Effort {
  /** The same text as in the status line. */
  readonly status: string
  readonly position: string
  /** The planning stage. */
  readonly stage: string | null
  /** Why its plan is parked; null if it is not. */
  readonly parked: string | null
  /** What failed, why and in which try, one sentence each. */
  readonly failures: readonly string[]
  /** The command or action that comes next. */
  readonly next: string
  /** The newest open session that serves it or returns to it, else the one that set it aside or fell silent. */
  readonly session: Session | null
  readonly is_set_aside: boolean
  /** The folder of the checkout that it works in. */
  readonly workplace: string | null
}

export async function atWork(tx: Tx, effort: Effort, volatile: Volatile): Promise<AtWork> {
  const followed = await followedBy(tx, effort)
  const { plan, progress } = followed
  const about = { effort_id: effort.id, native_id: '' }
  // A session returns to the efforts of its suspended skills by itself.
  const serving = (await newestOpenOf(tx, about)) ?? (await otherWindowsOf(tx, about)).at(-1)
  const row = serving ?? (await setAsideBy(tx, effort)) ?? (await silentHolder(tx, effort))
  const body = plan === undefined ? await bodyAtWork(tx, effort) : undefined
  const { position, step }: Where =
    plan === undefined ? (body ?? (await withoutPlan(tx, effort))) : whereIn(effort, plan, followed)
  return {
    ...effort,
    status: statusText({ ...effort, step, isParked: progress.status === 'parked' }),
    position,
    stage: declaredStage(effort.metadata['stage']) ?? null,
    parked: progress.status === 'parked' ? (progress.reason ?? '') : (body?.parked ?? null),
    failures: plan === undefined ? [] : failureTexts(plan, progress),
    next: body?.next ?? nextActions(effort, followed)[0] ?? '',
    session: row === undefined ? null : volatile.overlay(toSession(row)),
    is_set_aside: serving === undefined && row !== undefined && row.effort_id !== effort.id,
    workplace: (await placeOfEffort(tx, effort))?.root ?? null,
  }
}

/** The session of a silent client that counted as gone, although nobody saw it end. */
async function silentHolder(tx: Tx, effort: Effort): Promise<SessionRow | undefined> {
  const last = await lastWindow(tx, effort)
  return last?.ended_reason === 'orphaned' ? last : undefined
}

/** The same by id; undefined if the effort is finished or ad hoc. */
export async function workFor(tx: Tx, id: number | null, volatile: Volatile): Promise<AtWork | null> {
  const row = id === null ? undefined : await findEffort(tx, { id })
  if (row === undefined || !isUnfinished(row)) return null
  return await atWork(tx, toEffort(row), volatile)
}

interface Where {
  readonly position: string
  readonly step?: string | undefined
}

/** The plan may be gone with its workplace, but not the work that was done by it. */
async function withoutPlan(tx: Tx, { id, current_phase: current }: Effort): Promise<Where> {
  const visited = Object.keys((await storedProgress(tx, id))?.progress.visits ?? {}).length
  return { position: current ?? (visited === 0 ? NOT_STARTED : counted(visited, 'step')) }
}

function whereIn({ current_phase: current }: Effort, plan: Plan, { progress }: Followed): Where {
  if (plan.notation === 'phases') return { position: current ?? NOT_STARTED }
  const [begun] = progress.current.map((step) => stepOf(plan, step)?.label ?? step)
  const isBegun = Object.keys(progress.visits).length > 0
  return { position: isBegun ? progressText(plan, progress) : NOT_STARTED, step: begun }
}
