import type { HookEvent } from '../../model/event.ts'
import type { Session } from '../../model/session.ts'
import { isWatched, type Watch } from '../../model/watch.ts'
import { findAdHocEffort } from '../../store/effort.ts'
import { findProjectOfTask } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import {
  findLastByNative,
  findSession,
  lockOpenByNative,
  toSession,
  type SessionRow,
} from '../../store/session.ts'
import { findWatched, toWatch } from '../../store/watch.ts'
import { silentSessions } from '../../store/span.ts'
import { findTask } from '../../store/task.ts'
import { type Arrival, keepTask, projectAt } from '../skill/arrival.ts'
import { staleSince } from '../call/context.ts'
import { heldByOthers } from '../effort/held.ts'
import type { Call } from '../call/method.ts'
import { closeSession, startSession } from '../session/session-window.ts'

/** The same start told twice, by a client that is hooked twice, comes within this time. */
const TWICE_MILLISECONDS = 2000

export interface Window {
  readonly session: Session
  readonly watch: Watch
  /** Opened just now, by a client that had one before and did not say that it is back. */
  readonly isBack: boolean
}

/** The context window that an event of a client's main thread belongs to; opened where there is none. */
export async function windowOf(
  tx: Tx,
  event: HookEvent,
  { place, locks }: { readonly place: Arrival | undefined; readonly locks: boolean },
  call: Call,
): Promise<Window | undefined> {
  const { session: native, client } = event
  if (native === undefined) return undefined
  const { volatile } = call.context.store
  const open = await openWindow(tx, native, locks)
  const known = open === undefined ? undefined : volatile.overlay(toSession(open))
  if (open !== undefined && known !== undefined && (!isNewWindow(event) || isTold(event, known, call))) {
    const watch = toWatch(open)
    if (!isWatched(known, watch)) volatile.found(tx, native, known.id)
    return { session: known, watch, isBack: false }
  }
  const last = open ?? (await findLastByNative(tx, { native_id: native }))
  // Somebody has opened it since we looked.
  if (open === undefined && last?.ended_at === null) return await windowOf(tx, event, { place, locks }, call)
  // What nobody knows, such as the trial of an installation, is no sign of somebody at work.
  const isWork = BEGINNINGS.has(event.kind) || (last === undefined && event.kind !== 'other')
  if (!isWork) return undefined
  const taskId = last?.task_id ?? (await taskOf(tx, place, call))
  if (taskId === undefined) return undefined
  const isTaken = open === undefined && last !== undefined && (await isHeld(tx, last, call))
  // What was under way when the old window ended is for the new one to know.
  const before = known ?? (last === undefined ? undefined : toSession(last))
  const openCalls = before?.open_calls ?? []
  const context = forgetsContext(event) ? undefined : before
  const session = await startSession(
    tx,
    {
      task_id: taskId,
      native_id: native,
      client,
      prev_session_id: last?.id,
      // Whoever comes back to what somebody else has taken up meanwhile does not work on it beside them.
      effort_id: isTaken ? (await findAdHocEffort(tx, { task_id: taskId }))?.id : undefined,
      open_calls: openCalls.length === 0 ? undefined : openCalls,
      loaded_files: context?.loaded_files,
      told_directives: context?.told_directives,
    },
    call,
  )
  const isBack = last !== undefined && event.kind !== 'session.started'
  const begun = await findWatched(tx, { native_id: native })
  if (begun === undefined) throw new Error('The window was not stored.')
  return { session, watch: toWatch(begun), isBack }
}

/** What is told late, after the end of a session, must not open it again. */
const BEGINNINGS: ReadonlySet<HookEvent['kind']> = new Set<HookEvent['kind']>([
  'session.started',
  'prompt.submitted',
  'prompt.expanded',
  'tool.before',
])

async function isHeld(tx: Tx, last: SessionRow, { context }: Call): Promise<boolean> {
  const project = await findProjectOfTask(tx, { dir_path: last.task_id })
  if (project === undefined) return false
  const scene = { projectId: project.id, window: undefined, since: staleSince(context) }
  return (await heldByOthers(tx, { ...scene, volatile: context.store.volatile })).has(last.effort_id)
}

async function openWindow(tx: Tx, native: string, locks: boolean) {
  const known = { native_id: native }
  // The embedded database has one writer, who waits for nobody.
  if (!locks || tx.kind === 'sqlite') return await findWatched(tx, known)
  // Whoever was waited for may have ended the window that was found and begun the next one.
  const isThere = ((await lockOpenByNative(tx, known)) ?? (await lockOpenByNative(tx, known))) !== undefined
  return isThere ? await findWatched(tx, known) : undefined
}

/** A compaction and a resumption begin a new window of the same session. */
const isNewWindow = (event: HookEvent): boolean =>
  event.kind === 'session.started' && (event.source === 'compact' || event.source === 'resume')

/** A client that resumes gives its agent the old context again; otherwise what was read is gone. */
const forgetsContext = (event: HookEvent): boolean =>
  event.kind === 'session.started' && event.source !== 'resume'

/** A window that has just begun may be the one that was told; after a compaction only one that follows another. */
const isTold = (event: HookEvent, session: Session, { context }: Call): boolean =>
  (session.prev_session_id !== null || (event.kind === 'session.started' && event.source === 'resume')) &&
  session.heartbeat_counter === 0 &&
  context.clock.now() - Date.parse(session.created_at) < TWICE_MILLISECONDS

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
    const isHeard = (call.context.store.volatile.heardAt(id) ?? '') >= found.since
    if (row === undefined || isHeard) continue
    await closeSession(tx, toSession(row), 'orphaned', call)
    if (row.native_id !== null) ended.push(row.native_id)
  }
  return ended
}
