import * as z from 'zod'
import {
  effortFinished,
  effortNotFound,
  EngineError,
  sessionEnded,
  sessionNotFound,
  taskNotFound,
} from '../model/error.ts'
import type { EndedReason, Session } from '../model/session.ts'
import { shellWord } from '../model/shell.ts'
import { findAdHocEffort, findEffort } from '../store/effort.ts'
import { toJson } from '../store/json.ts'
import type { Tx } from '../store/query.ts'
import {
  endSession,
  findOpenByNative,
  findOpenOfAgent,
  findSession,
  findSessions,
  flushSessions,
  insertSession,
  keepDehydration,
  moveSession,
  toSession,
} from '../store/session.ts'
import { findTask } from '../store/task.ts'
import { optionalTaskPath, taskPath } from './call-details.ts'
import { type Call, method } from './method.ts'
import { ownerFor } from './ownership.ts'
import * as p from './params.ts'

const nativeId = p.name.describe("The client's own id of the session.")

const startParams = z.strictObject({
  task_id: p.taskId,
  effort_id: p.id
    .optional()
    .describe('Without it the session serves the effort of the previous session, else the ad-hoc effort.'),
  pid: p.id.optional().describe('The process of the client.'),
  prev_session_id: p.id.optional().describe('The session that this one goes on from.'),
  agent_id: p.name.optional().describe('The agent that works here; else the owner of the effort.'),
  native_id: nativeId.optional(),
  client: p.name.optional().describe('The agent program, such as claude-code.'),
})

export const start = method({
  name: 'db.session.start',
  summary: 'Open a context window on an effort; ends the previous open session of the same agent.',
  effect: 'durable',
  params: startParams,
  prepare: taskPath,
  async run(tx, params, call) {
    const taskId = call.prepared
    if ((await findTask(tx, { dir_path: taskId })) === undefined) throw taskNotFound(taskId)
    const previous = await previousSession(tx, params.prev_session_id, taskId)
    const { id: effortId, skill } = await effortToServe(tx, taskId, { named: params.effort_id, previous })
    const agentId = await ownerFor(tx, { agent_id: params.agent_id, effort_id: effortId, skill })
    const same =
      params.native_id === undefined ? undefined : await findOpenByNative(tx, { native_id: params.native_id })
    const goesOn = previous === undefined ? same : undefined
    if (previous !== undefined) await end(tx, previous, 'continued', call)
    const others = agentId === undefined ? [] : await findOpenOfAgent(tx, { agent_id: agentId })
    for (const row of same === undefined ? others : [...others, same])
      if (row.id !== goesOn?.id) await end(tx, toSession(row), 'superseded', call)
    if (goesOn !== undefined)
      return await goOn(tx, { session: toSession(goesOn), taskId, effortId, agentId }, call)
    const row = await insertSession(tx, {
      task_id: taskId,
      effort_id: effortId,
      prev_session_id: params.prev_session_id ?? null,
      pid: params.pid ?? null,
      native_id: params.native_id ?? null,
      client: params.client ?? null,
      agent_id: agentId ?? null,
      now: call.now,
    })
    if (row === undefined) throw new Error('The session was not stored.')
    await call.record(tx, ledgerOf('session.started', toSession(row)))
    return toSession(row)
  },
})

const payload = z
  .union([p.object, p.text], 'must be an object or a text')
  .describe('What the next session must know, as an object or a text.')

export const finish = method({
  name: 'db.session.finish',
  summary: 'Close a context window, with what its successor must know if it overflowed.',
  effect: 'durable',
  params: z.strictObject({ session_id: p.id, dehydration_payload: payload.optional() }),
  async run(tx, params, call) {
    const session = await sessionOf(tx, params.session_id)
    const kept = toJson(params.dehydration_payload)
    if (kept !== null) await keepDehydration(tx, { id: session.id, payload: kept })
    if (session.ended_at === null) await end(tx, session, kept === null ? 'finished' : 'overflow', call)
    return await sessionOf(tx, session.id)
  },
})

export const heartbeat = method({
  name: 'db.session.heartbeat',
  summary: 'Count one sign of life of a session.',
  effect: 'volatile',
  params: z.strictObject({ session_id: p.id }),
  async run(tx, params, call) {
    const session = await openSession(tx, params.session_id)
    call.context.store.volatile.add(session.id, { beats: 1, lastHeartbeat: call.now })
    const { heartbeat_counter, last_heartbeat } = call.context.store.volatile.overlay(session)
    return { session_id: session.id, heartbeat_counter, last_heartbeat }
  },
})

export const updateContextUsage = method({
  name: 'db.session.updateContextUsage',
  summary: 'Say how full a context window is, from 0 to 1.',
  effect: 'volatile',
  params: z.strictObject({
    session_id: p.id,
    usage: z.number().min(0).max(1).describe('From 0, empty, to 1, full.'),
  }),
  async run(tx, params, call) {
    const session = await openSession(tx, params.session_id)
    call.context.store.volatile.add(session.id, { contextUsage: params.usage })
    return { session_id: session.id, context_usage: params.usage }
  },
})

export const updateLoadedFiles = method({
  name: 'db.session.updateLoadedFiles',
  summary: 'Add files to those that a context window has read.',
  effect: 'volatile',
  params: z.strictObject({
    session_id: p.id,
    files: z.array(z.string().min(1).max(4096)).max(1000).describe('The paths of the files.'),
  }),
  async run(tx, params, call) {
    const session = await openSession(tx, params.session_id)
    call.context.store.volatile.add(session.id, { loadedFiles: params.files })
    return { session_id: session.id, loaded_files: call.context.store.volatile.overlay(session).loaded_files }
  },
})

/** Ten years, so that every such moment is a date. */
const LONGEST_SILENCE = 315_360_000

export const find = method({
  name: 'db.session.find',
  summary: 'Find sessions by task, effort, agent or client id, newest first; or those that have gone silent.',
  effect: 'read',
  params: z.strictObject({
    session_id: p.id.optional(),
    task_id: p.taskId.optional(),
    effort_id: p.id.optional(),
    agent_id: p.name.optional(),
    native_id: nativeId.optional(),
    open: z.boolean().optional().describe('Only those that are open, or only those that have ended.'),
    silent_for_seconds: z
      .int()
      .min(0)
      .max(LONGEST_SILENCE)
      .optional()
      .describe('Only open sessions without a sign of life for so long.'),
    limit: p.limit,
  }),
  prepare: optionalTaskPath,
  async run(tx, { silent_for_seconds: silent, limit, ...params }, { context, prepared: taskId }) {
    const filter = { ...params, task_id: taskId }
    const rows = await findSessions(
      tx,
      silent === undefined ? { ...filter, limit } : { ...filter, open: true, limit: 10_000 },
    )
    const sessions = rows.map((row) => context.store.volatile.overlay(toSession(row)))
    if (silent === undefined) return sessions
    const since = new Date(context.clock.now() - silent * 1000).toISOString()
    return sessions.filter((one) => (one.last_heartbeat ?? one.created_at) <= since).slice(0, limit)
  },
})

async function effortToServe(
  tx: Tx,
  taskId: string,
  wish: { readonly named: number | undefined; readonly previous: Session | undefined },
) {
  const { named: wanted, previous } = wish
  if (wanted === undefined) {
    const continued = previous === undefined ? undefined : await findEffort(tx, { id: previous.effort_id })
    if (continued?.lifecycle === 'active') return continued
    const adHoc = await findAdHocEffort(tx, { task_id: taskId })
    if (adHoc === undefined) throw new Error('The task has no ad-hoc effort.')
    return adHoc
  }
  const effort = await findEffort(tx, { id: wanted })
  if (effort === undefined) throw effortNotFound(wanted)
  if (effort.task_id !== taskId) throw otherTask('effort_id', wanted, effort.task_id)
  if (effort.lifecycle === 'finished') throw effortFinished(wanted, effort.skill, taskId)
  return effort
}

/** The same window again: it serves what it served, or turns to other work. */
async function goOn(
  tx: Tx,
  move: { session: Session; taskId: string; effortId: number; agentId: string | undefined },
  call: Call,
): Promise<Session> {
  const { session, taskId, effortId, agentId = session.agent_id } = move
  if (session.effort_id === effortId && session.agent_id === agentId)
    return call.context.store.volatile.overlay(session)
  const row = await moveSession(tx, {
    id: session.id,
    task_id: taskId,
    effort_id: effortId,
    agent_id: agentId,
  })
  const moved = row === undefined ? session : toSession(row)
  await call.record(tx, {
    ...ledgerOf('session.switched', moved),
    payload: { from_effort: session.effort_id },
  })
  return call.context.store.volatile.overlay(moved)
}

async function previousSession(tx: Tx, id: number | undefined, taskId: string): Promise<Session | undefined> {
  if (id === undefined) return undefined
  const row = await findSession(tx, { id })
  if (row === undefined) throw sessionNotFound(id)
  if (row.task_id !== taskId) throw otherTask('prev_session_id', id, row.task_id)
  return toSession(row)
}

async function end(tx: Tx, session: Session, reason: EndedReason, call: Call): Promise<void> {
  await flushSessions(tx, call.context.store.volatile.take(tx, session.id).sessions)
  const row = await endSession(tx, { id: session.id, reason, now: call.now })
  if (row !== undefined) await call.record(tx, { ...ledgerOf('session.ended', session), payload: { reason } })
}

async function sessionOf(tx: Tx, id: number): Promise<Session> {
  const row = await findSession(tx, { id })
  if (row === undefined) throw sessionNotFound(id)
  return toSession(row)
}

async function openSession(tx: Tx, id: number): Promise<Session> {
  const session = await sessionOf(tx, id)
  if (session.ended_at !== null) throw sessionEnded(id, session.task_id)
  return session
}

const ledgerOf = (event: 'session.started' | 'session.switched' | 'session.ended', session: Session) => ({
  event_type: event,
  session_id: session.id,
  effort_id: session.effort_id,
  ...(session.agent_id !== null && { agent_id: session.agent_id }),
})

const otherTask = (field: 'effort_id' | 'prev_session_id', id: number, task: string) =>
  new EngineError(
    'conflict',
    `${field === 'effort_id' ? 'Effort' : 'Session'} ${id} belongs to the task ${task}.`,
    { field, hint: `holdfast session start ${shellWord(task)} --${field} ${id}` },
  )
