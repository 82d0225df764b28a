import type { Effort } from '../../model/effort.ts'
import {
  effortFinished,
  effortNotFound,
  EngineError,
  sessionNotFound,
  taskNotFound,
} from '../../model/error.ts'
import type { OpenCall } from '../../model/open-call.ts'
import type { EndedReason, Session } from '../../model/session.ts'
import { shellWord } from '../../model/shell/word.ts'
import { otherWindowsOf } from '../../store/holder.ts'
import { findEffort, setEffortPlace, setLastSession } from '../../store/effort.ts'
import { leaveFiles } from '../../store/effort-file.ts'
import { toJson } from '../../store/json.ts'
import { flushSession } from '../../store/pending.ts'
import type { Tx } from '../../store/query.ts'
import {
  endSession,
  findOpenOfAgent,
  findSession,
  insertSession,
  lockOpenByNative,
  moveSession,
  setSessionPlace,
  toSession,
} from '../../store/session.ts'
import { findTask } from '../../store/task.ts'
import { setLostEfforts } from '../../store/watch.ts'
import { workplaceForTask } from '../../store/workplace.ts'
import type { Call } from '../call/method.ts'
import { countAnew } from '../effort/heartbeats.ts'
import { findOrMakeAdHoc } from '../effort/ad-hoc.ts'
import { followEffort } from '../effort/frames.ts'
import { lastWindow } from '../effort/holder.ts'
import { claimIfFree, ownerFor } from '../effort/ownership.ts'
import { keepTraces } from './window-end.ts'

interface Opening {
  readonly task_id: string
  readonly effort_id?: number | undefined
  readonly pid?: number | undefined
  readonly prev_session_id?: number | undefined
  readonly agent_id?: string | undefined
  readonly native_id?: string | undefined
  readonly client?: string | undefined
  readonly open_calls?: readonly OpenCall[] | undefined
  readonly loaded_files?: readonly string[] | undefined
  readonly told_directives?: Session['told_directives'] | undefined
  readonly scope_of?: string | undefined
  /** Where the client works; by default where its last session worked, else where the effort does. */
  readonly workplace_id?: number | undefined
}

/** Opens a session on an effort, for a caller or for a hook of a client. */
export async function startSession(tx: Tx, params: Opening, call: Call): Promise<Session> {
  const taskId = params.task_id
  if ((await findTask(tx, { dir_path: taskId })) === undefined) throw taskNotFound(taskId)
  const previous = await previousSession(tx, params.prev_session_id, taskId)
  const effort = await effortToServe(tx, taskId, { named: params.effort_id, previous }, call)
  const { id: effortId, skill } = effort
  const agentId = await ownerFor(tx, { agent_id: params.agent_id, effort_id: effortId, skill })
  const same =
    params.native_id === undefined ? undefined : await lockOpenByNative(tx, { native_id: params.native_id })
  const goesOn = previous === undefined ? same : undefined
  if (previous !== undefined) await closeSession(tx, previous, 'continued', call)
  const others = agentId === undefined ? [] : await findOpenOfAgent(tx, { agent_id: agentId })
  for (const row of same === undefined ? others : [...others, same])
    if (row.id !== goesOn?.id) await closeSession(tx, toSession(row), 'superseded', call)
  if (goesOn !== undefined) return await serve(tx, { session: toSession(goesOn), effort, agentId }, call)
  const wanted = [params.workplace_id, same?.workplace_id, previous?.workplace_id]
  const workplace_id = await placeFor(tx, effort, wanted)
  await setEffortPlace(tx, { id: effortId, workplace_id })
  const row = await insertSession(tx, {
    task_id: taskId,
    effort_id: effortId,
    prev_session_id: params.prev_session_id ?? null,
    pid: params.pid ?? null,
    native_id: params.native_id ?? null,
    client: params.client ?? null,
    agent_id: agentId ?? null,
    workplace_id,
    open_calls: toJson(params.open_calls),
    loaded_files: toJson(params.loaded_files),
    told_directives: toJson(params.told_directives),
    scope_of: params.scope_of ?? null,
    now: call.now,
  })
  if (row === undefined) throw new Error('The session was not stored.')
  await setLastSession(tx, { id: effortId, session_id: row.id })
  await followEffort(tx, toSession(row), call)
  tx.onRollback(() => call.context.store.volatile.forget(row.id))
  await call.record(tx, ledgerOf('session.started', toSession(row)))
  return toSession(row)
}

async function effortToServe(
  tx: Tx,
  taskId: string,
  wish: { readonly named: number | undefined; readonly previous: Session | undefined },
  call: Call,
) {
  const { named: wanted, previous } = wish
  if (wanted === undefined) {
    const continued = previous === undefined ? undefined : await findEffort(tx, { id: previous.effort_id })
    if (continued?.lifecycle === 'active') return continued
    return await findOrMakeAdHoc(tx, taskId, call)
  }
  const effort = await findEffort(tx, { id: wanted })
  if (effort === undefined) throw effortNotFound(wanted)
  if (effort.task_id !== taskId) throw otherTask('effort_id', wanted, effort.task_id)
  if (effort.lifecycle === 'finished') throw effortFinished(wanted, effort.skill, taskId)
  return effort
}

/** Keeps an open session and moves it to another effort if needed. */
export async function serve(
  tx: Tx,
  move: { session: Session; effort: ServedEffort; agentId: string | undefined },
  call: Call,
): Promise<Session> {
  const { session, effort, agentId = session.agent_id } = move
  const { id: effortId, task_id } = effort
  if (session.effort_id === effortId && session.agent_id === agentId)
    return call.context.store.volatile.overlay(session)
  // Another effort needs log entries and changed files of its own.
  if (session.effort_id !== effortId) {
    await countAnew(tx, session.id, call)
    await leaveFiles(tx, call.context.store.volatile, session.id)
  }
  const workplace_id = await placeFor(tx, effort, [session.workplace_id])
  await setEffortPlace(tx, { id: effortId, workplace_id })
  await setLastSession(tx, { id: effortId, session_id: session.id })
  const to = { task_id, effort_id: effortId, workplace_id, agent_id: agentId }
  const row = await moveSession(tx, call.context.store.volatile, { id: session.id, ...to })
  const moved = row === undefined ? session : toSession(row)
  await followEffort(tx, moved, call)
  const from = session.effort_id
  if (agentId !== null) await claimIfFree(tx, { agent_id: agentId, effort_id: effortId, from }, call)
  await call.record(tx, {
    ...ledgerOf('session.switched', moved),
    payload: { from_effort: from },
  })
  return call.context.store.volatile.overlay(moved)
}

type ServedEffort = Pick<Effort, 'id' | 'task_id' | 'workplace_id'>

/** An effort moves only among the workplaces of its project; the first wanted one of them wins. */
async function placeFor(
  tx: Tx,
  { task_id, workplace_id }: Pick<ServedEffort, 'task_id' | 'workplace_id'>,
  wanted: readonly (number | undefined)[],
): Promise<number> {
  for (const id of wanted)
    if (id === workplace_id) return id
    else if (id !== undefined && (await workplaceForTask(tx, { id, dir_path: task_id })) !== undefined)
      return id
  return workplace_id
}

/** A client that starts or calls a skill in another checkout of its project works there from then on. */
export async function workIn(tx: Tx, session: Session, workplaceId: number, call: Call): Promise<Session> {
  if ((await placeFor(tx, session, [workplaceId])) === session.workplace_id) return session
  const row = await setSessionPlace(tx, call.context.store.volatile, {
    id: session.id,
    workplace_id: workplaceId,
  })
  return row === undefined ? session : call.context.store.volatile.overlay(toSession(row))
}

async function previousSession(tx: Tx, id: number | undefined, taskId: string): Promise<Session | undefined> {
  if (id === undefined) return undefined
  const row = await findSession(tx, { id })
  if (row === undefined) throw sessionNotFound(id)
  if (row.task_id !== taskId) throw otherTask('prev_session_id', id, row.task_id)
  return toSession(row)
}

export async function closeSession(tx: Tx, session: Session, reason: EndedReason, call: Call): Promise<void> {
  await flushSession(tx, call.context.store.volatile, session.id)
  const row = await endSession(tx, call.context.store.volatile, { id: session.id, reason, now: call.now })
  if (row === undefined) return
  const ended = toSession(row)
  // A continuing session takes over the open calls and reports the lost ones.
  await keepTraces(tx, reason === 'continued' ? { ...ended, open_calls: [] } : ended, call)
  await call.record(tx, { ...ledgerOf('session.ended', session), payload: { reason } })
}

const ledgerOf = (event: 'session.started' | 'session.switched' | 'session.ended', session: Session) => ({
  event_type: event,
  window_id: session.id,
  effort_id: session.effort_id,
  ...(session.agent_id !== null && { agent_id: session.agent_id }),
})

const otherTask = (field: 'effort_id' | 'prev_session_id', id: number, task: string) =>
  new EngineError(
    'conflict',
    `${field === 'effort_id' ? 'Effort' : 'Session'} ${id} belongs to task ${task}.`,
    {
      field,
      hint: `holdfast session start ${shellWord(task)} --${field.replace(/_id$/, '').replaceAll('_', '-')} ${id}`,
    },
  )

/** Ends the sessions of others that lose an effort; at its next event each client learns of it. */
export async function endOthers(
  tx: Tx,
  lost: {
    readonly effortId: number
    readonly native_id: string | undefined
    /** An agent keeps its own sessions. */
    readonly agent_id?: string | undefined
    /** Ended by the session that follows it. */
    readonly last?: Session | undefined
  },
  call: Call,
): Promise<void> {
  const { effortId, native_id = '', agent_id, last } = lost
  await noteLoss(tx, lost, call)
  for (const row of await otherWindowsOf(tx, { effort_id: effortId, native_id }))
    if (row.id !== last?.id && (agent_id === undefined || row.agent_id !== agent_id))
      await closeSession(tx, toSession(row), 'superseded', call)
}

/** The former holder may serve another effort now; its session goes on, and hears of the loss there. */
async function noteLoss(tx: Tx, lost: Parameters<typeof endOthers>[1], call: Call): Promise<void> {
  const { effortId, native_id, agent_id } = lost
  const effort = await findEffort(tx, { id: effortId })
  const row = effort === undefined ? undefined : await lastWindow(tx, effort)
  const isGone = row?.ended_at !== null && row?.ended_reason !== 'orphaned'
  if (row === undefined || isGone || row.effort_id === effortId) return
  if (row.native_id === native_id || (agent_id !== undefined && row.agent_id === agent_id)) return
  await noteNews(tx, toSession(row), effortId, call)
}

/** Notes that an effort was taken from a session, or given to it, until the session hears of it. */
export async function noteNews(
  tx: Tx,
  { id, lost_efforts: before }: Session,
  effortId: number,
  { context }: Call,
): Promise<void> {
  const lost = JSON.stringify([...new Set([...before, effortId])])
  await setLostEfforts(tx, context.store.volatile, { id, lost })
}
