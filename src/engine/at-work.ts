import { AD_HOC_ORDINAL, type Effort } from '../model/effort.ts'
import { phaseCommands } from '../model/phase-command.ts'
import { stepOf } from '../model/plan.ts'
import type { Project } from '../model/project.ts'
import type { Session } from '../model/session.ts'
import { shellWord } from '../model/shell.ts'
import { statusText } from '../model/status-line.ts'
import { nextSteps } from '../model/visit.ts'
import type { Facts } from '../rules/rule.ts'
import { findEffort, toEffort } from '../store/effort.ts'
import { findProjectOfTask } from '../store/project.ts'
import type { Tx } from '../store/query.ts'
import { newestOpenOf, toSession } from '../store/session.ts'
import type { Volatile } from '../store/volatile.ts'
import { workOf } from './facts.ts'
import { phasesOf } from './plan.ts'
import { NO_DIGESTS } from './recorded.ts'

/** An effort as people look at it: how far it is, what comes next, and who is at it. */
export interface AtWork extends Effort {
  /** As in a status line. */
  readonly status: string
  readonly position: string
  /** The exact next action. */
  readonly next: string
  /** The newest open session that serves it. */
  readonly session: Session | null
}

export async function atWork(
  tx: Tx,
  effort: Effort,
  scene: { readonly project: Project; readonly volatile: Volatile },
): Promise<AtWork> {
  const work = await workOf(tx, {
    session: { effort_id: effort.id },
    project: scene.project,
    digests: NO_DIGESTS,
  })
  const row = await newestOpenOf(tx, { effort_id: effort.id })
  const where =
    work?.plan === undefined || work.plan.notation === 'phases'
      ? await inPhases(tx, effort)
      : inSteps(effort, work)
  return {
    ...effort,
    status: statusText({ ...effort, step: where.step }),
    position: where.position,
    next: where.next,
    session: row === undefined ? null : scene.volatile.overlay(toSession(row)),
  }
}

/** The same of an effort by its id; nothing where it is the ad-hoc effort, which is no work of its own. */
export async function workFor(tx: Tx, id: number | null, volatile: Volatile): Promise<AtWork | null> {
  const row = id === null ? undefined : await findEffort(tx, { id })
  if (row === undefined || row.ordinal === AD_HOC_ORDINAL) return null
  const project = await findProjectOfTask(tx, { dir_path: row.task_id })
  return project === undefined ? null : await atWork(tx, toEffort(row), { project, volatile })
}

interface Where {
  readonly position: string
  readonly next: string
  readonly step?: string | undefined
}

async function inPhases(tx: Tx, effort: Effort): Promise<Where> {
  const { id, current_phase: current } = effort
  const phases = await phasesOf(tx, effort)
  const [command] = phaseCommands(effort, phases)
  const end = phases.length === 0 ? `holdfast recap --effort ${id}` : `holdfast effort finish ${id}`
  return { position: current ?? 'not begun', next: command ?? end }
}

function inSteps({ id }: Effort, { plan, progress, recorded }: NonNullable<Facts['work']>): Where {
  if (plan === undefined || progress === undefined)
    return { position: 'not begun', next: `holdfast recap --effort ${id}` }
  const begun = progress.current.map((step) => stepOf(plan, step)?.label ?? step)
  const visited = Object.keys(progress.visits).length
  const count = `${visited} of ${plan.steps.length} steps`
  const [next] = nextSteps(plan, progress, recorded)
  const file = next === undefined ? undefined : stepOf(plan, next)?.place.file
  return {
    position: visited === 0 ? 'not begun' : begun.length === 0 ? count : `${begun.join(', ')} (${count})`,
    next: file === undefined ? `holdfast effort finish ${id}` : `read ${shellWord(file)}`,
    step: begun[0],
  }
}
