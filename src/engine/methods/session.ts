import * as z from 'zod'
import { sessionEnded, sessionNotFound } from '../../model/error.ts'
import type { Session } from '../../model/session.ts'
import { toJson } from '../../store/json.ts'
import type { Tx } from '../../store/query.ts'
import { findSession, findSessions, keepDehydration, toSession } from '../../store/session.ts'
import { staleSince } from '../call/context.ts'
import { setStale, unmarkedSilent } from '../../store/watch.ts'
import { optionalTaskPath, taskPath } from '../call/paths.ts'
import { dehydrationIn } from '../session/dehydration-form.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { keepLevel } from '../session/level-kept.ts'
import { closeSession, startSession } from '../session/session-window.ts'
import { keepForNext } from '../session/window-end.ts'

const nativeId = p.name.describe("The client's id of the session.")

const startParams = z.strictObject({
  task_id: p.taskId,
  effort_id: p.id
    .optional()
    .describe('Default: the effort of the previous session, else the ad-hoc effort of the task.'),
  pid: p.id.optional().describe('The process id of the client.'),
  prev_session_id: p.id.optional().describe('The session that this one continues.'),
  agent_id: p.name.optional().describe('The agent of the session. Default: the owner of the effort.'),
  native_id: nativeId.optional(),
  client: p.name.optional().describe('The name of the client.'),
})

export const start = method({
  name: 'db.session.start',
  summary: 'Start a session on an effort, and end the open session of the same agent.',
  effect: 'durable',
  params: startParams,
  prepare: taskPath,
  async run(tx, params, call) {
    await keepLevel(tx, { native_id: params.native_id, task_id: call.prepared }, call.context)
    return await startSession(tx, { ...params, task_id: call.prepared }, call)
  },
})

const payload = z
  .union([p.object, p.text], 'must be an object or a string')
  .describe('The handover note for the next session: an object or a string.')

export const finish = method({
  name: 'db.session.finish',
  summary: 'End a session, with an optional handover note for the next one.',
  effect: 'durable',
  params: z.strictObject({ session_id: p.id, dehydration_payload: payload.optional() }),
  async run(tx, params, call) {
    const session = await sessionOf(tx, params.session_id)
    const kept = toJson(params.dehydration_payload)
    if (kept !== null && session.dehydration_payload === null) {
      await keepDehydration(tx, call.context.store.volatile, { id: session.id, payload: kept })
      const about = { effort_id: session.effort_id, session_id: session.id, author: 'agent' as const }
      await keepForNext(tx, { ...about, payload: dehydrationIn(params.dehydration_payload) }, call)
    }
    if (session.ended_at === null)
      await closeSession(tx, session, kept === null ? 'finished' : 'overflow', call)
    return await sessionOf(tx, session.id)
  },
})

export const heartbeat = method({
  name: 'db.session.heartbeat',
  summary: 'Record a heartbeat of a session.',
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
  summary: 'Record the context usage of a session, from 0 to 1.',
  effect: 'volatile',
  params: z.strictObject({
    session_id: p.id,
    usage: z.number().min(0).max(1).describe('From 0 (empty) to 1 (full).'),
  }),
  async run(tx, params, call) {
    const session = await openSession(tx, params.session_id)
    call.context.store.volatile.add(session.id, { contextUsage: params.usage })
    return { session_id: session.id, context_usage: params.usage }
  },
})

export const updateLoadedFiles = method({
  name: 'db.session.updateLoadedFiles',
  summary: 'Add files to the list of files that a session has read.',
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

export const markStale = method({
  name: 'db.session.markStale',
  summary: 'Mark the open sessions without a recent heartbeat as stale. The daemon also does this by itself.',
  effect: 'durable',
  params: z.strictObject({ limit: p.limit }),
  async run(tx, { limit }, call) {
    const since = staleSince(call.context)
    const { volatile } = call.context.store
    let marked = 0
    for (const { id, effort_id, agent_id, heard_at } of await unmarkedSilent(tx, { since, limit })) {
      if ((volatile.heardAt(id) ?? '') >= since) continue
      await setStale(tx, { id, now: call.now })
      const about = { window_id: id, effort_id, ...(agent_id !== null && { agent_id }) }
      await call.record(tx, { event_type: 'session.stale', ...about, payload: { heard_at } })
      marked++
    }
    return { marked }
  },
})

/** Ten years, so that the resulting date is always valid. */
const LONGEST_SILENCE = 315_360_000

export const find = method({
  name: 'db.session.find',
  summary: 'Find sessions by task, effort, agent, client id or silence, newest first.',
  effect: 'read',
  params: z.strictObject({
    session_id: p.id.optional(),
    task_id: p.taskId.optional(),
    effort_id: p.id.optional(),
    agent_id: p.name.optional(),
    native_id: nativeId.optional(),
    open: z.boolean().optional().describe('true: only open sessions. false: only ended sessions.'),
    silent_for_seconds: z
      .int()
      .min(0)
      .max(LONGEST_SILENCE)
      .optional()
      .describe('Only open sessions without a heartbeat for this many seconds.'),
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
