import type { Effort } from '../../model/effort.ts'
import { findEffort, listEfforts, setTask, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { findOpenByNative, moveSession } from '../../store/session.ts'
import { nextOrdinal } from '../../store/task.ts'
import { workplaceOfTask } from '../../store/workplace.ts'
import type { Call } from '../call/method.ts'
import { isUnused } from './take-over.ts'

interface Named {
  readonly dir: string
  readonly skill: string
  readonly native_id?: string | undefined
  readonly agent_id?: string | undefined
}

/** Gives the unused effort, which the call of the skill began in this session, the task that the caller names. */
export async function nameTask(tx: Tx, named: Named, call: Call): Promise<Effort | undefined> {
  const { dir, skill, native_id, agent_id = null } = named
  const window = native_id === undefined ? undefined : await findOpenByNative(tx, { native_id })
  const effort = window === undefined ? undefined : await findEffort(tx, { id: window.effort_id })
  if (window === undefined || effort?.skill !== skill || !(await isUnused(tx, effort))) return undefined
  if (effort.agent_id !== null && effort.agent_id !== agent_id) return undefined
  const place = await workplaceOfTask(tx, { dir_path: dir })
  // Where the task has an effort of this skill, a further one is wanted.
  const isNew = !(await listEfforts(tx, { task_id: dir })).some((one) => one.skill === skill)
  if (!isNew || place?.workplace_id !== effort.workplace_id) return undefined
  const counter = await nextOrdinal(tx, { dir_path: dir })
  if (counter === undefined) return undefined
  const { volatile } = call.context.store
  const moved = { id: effort.id, task_id: dir, ordinal: counter.last_ordinal }
  const row = await setTask(tx, volatile, moved)
  const { id, effort_id, workplace_id } = window
  await moveSession(tx, volatile, { id, effort_id, workplace_id, agent_id: window.agent_id, task_id: dir })
  const payload = { task_id: dir, ordinal: counter.last_ordinal }
  await call.record(tx, { event_type: 'effort.resumed', skill, effort_id: effort.id, payload })
  return row === undefined ? undefined : toEffort(row)
}
