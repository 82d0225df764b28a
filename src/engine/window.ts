import type { HookEvent } from '../model/event.ts'
import type { Session } from '../model/session.ts'
import type { Tx } from '../store/query.ts'
import { findLastByNative, findOpenByNative, findSession, toSession } from '../store/session.ts'
import { silentSessions } from '../store/span.ts'
import { findTask } from '../store/task.ts'
import { type Arrival, keepTask, projectAt } from './arrival.ts'
import type { Call } from './method.ts'
import { closeSession, startSession } from './session-window.ts'

/** The same start told twice, by a client that is hooked twice, comes within this time. */
const TWICE_MILLISECONDS = 2000

/** The context window that an event of a client's main thread belongs to; opened where it is not. */
export async function windowOf(
  tx: Tx,
  event: HookEvent,
  place: Arrival | undefined,
  call: Call,
): Promise<Session | undefined> {
  const { session: native, client } = event
  if (native === undefined) return undefined
  const open = await findOpenByNative(tx, { native_id: native })
  const known = open === undefined ? undefined : call.context.store.volatile.overlay(toSession(open))
  if (known !== undefined && (!isNewWindow(event) || isTold(known, call))) return known
  const last = open ?? (await findLastByNative(tx, { native_id: native }))
  const taskId = last?.task_id ?? (await taskOf(tx, place, call))
  if (taskId === undefined) return undefined
  const session = await startSession(
    tx,
    { task_id: taskId, native_id: native, client, prev_session_id: last?.id },
    call,
  )
  // What was under way when the old window ended is for the new one to know.
  return known === undefined || known.open_calls.length === 0
    ? await withCallsOf(tx, session, last?.id)
    : { ...session, open_calls: known.open_calls }
}

/** A compaction and a resumption begin a new window of the same session. */
const isNewWindow = (event: HookEvent): boolean =>
  event.kind === 'session.started' && (event.source === 'compact' || event.source === 'resume')

const isTold = (session: Session, { context }: Call): boolean =>
  session.prev_session_id !== null &&
  session.heartbeat_counter === 0 &&
  context.clock.now() - Date.parse(session.created_at) < TWICE_MILLISECONDS

async function withCallsOf(tx: Tx, session: Session, before: number | undefined): Promise<Session> {
  const row = before === undefined ? undefined : await findSession(tx, { id: before })
  return row === undefined ? session : { ...session, open_calls: toSession(row).open_calls }
}

/** The first event in a folder registers its project; the task is the project itself. */
async function taskOf(tx: Tx, place: Arrival | undefined, call: Call): Promise<string | undefined> {
  if (place === undefined) return undefined
  const { id, path } = await projectAt(tx, place, call)
  return (
    (await findTask(tx, { dir_path: path }))?.dir_path ??
    (await keepTask(tx, { dir_path: path, project_id: id }, call)).dir_path
  )
}

/** Clients that were killed never said goodbye: whoever begins next in the project says it for them. */
export async function closeOrphans(
  tx: Tx,
  event: HookEvent,
  found: { readonly projectId: number; readonly since: string },
  call: Call,
): Promise<readonly string[]> {
  const rows = await silentSessions(tx, {
    project_id: found.projectId,
    client: event.client,
    native_id: event.session ?? '',
    since: found.since,
  })
  const ended: string[] = []
  for (const { id } of rows) {
    const row = await findSession(tx, { id })
    if (row === undefined) continue
    await closeSession(tx, toSession(row), 'orphaned', call)
    if (row.native_id !== null) ended.push(row.native_id)
  }
  return ended
}
