import type { HookEvent } from '../../model/event.ts'
import type { Session } from '../../model/session.ts'
import type { Window } from '../../rules/facts.ts'
import { woken } from '../../rules/judge.ts'
import { findAdHocEffort } from '../../store/effort.ts'
import { findProjectOfTask } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import { findLastByNative, lockOpenByNative, toSession } from '../../store/session.ts'
import { findWatched, toWatch } from '../../store/watch.ts'
import { findTask } from '../../store/task.ts'
import { type Arrival, keepTask, projectAt } from '../skill/arrival.ts'
import { staleSince } from '../call/context.ts'
import { heldByOthers } from '../effort/held.ts'
import type { Call } from '../call/method.ts'
import type { Looked } from './looks/look.ts'
import { startSession } from '../session/session-window.ts'

/** The same start told twice, by a client that is hooked twice, comes within this time. */
const TWICE_MILLISECONDS = 2000

interface FoundWindow extends Window {
  /** Opened just now, by a client that had one before and did not say that it is back. */
  readonly isBack: boolean
}

/** Where one context ends or another begins: the transaction is wanted whatever the rules say. */
export const isTurn = ({ kind, subagent }: HookEvent): boolean =>
  subagent === undefined &&
  (kind === 'session.started' || kind === 'session.ended' || kind === 'compact.before')

/** The open window of a client's session, if there is one. */
export async function findWindow(tx: Tx, looked: Looked, call: Call): Promise<Window | undefined> {
  const found = await lookUp(tx, looked.event, false, call)
  // The embedded database has one writer, who waits for nobody.
  if (found === undefined || tx.kind === 'sqlite') return found
  const isJudged = isTurn(looked.event) || woken(call.context.rules, looked, found).length > 0
  return isJudged ? await lookUp(tx, looked.event, true, call) : found
}

async function lookUp(tx: Tx, event: HookEvent, locks: boolean, call: Call): Promise<Window | undefined> {
  const { session: native = '' } = event
  const row = await openWindow(tx, native, locks)
  if (row === undefined) return undefined
  const { volatile } = call.context.store
  const window = { session: volatile.overlay(toSession(row)), watch: toWatch(row) }
  volatile.openWindows.keep(tx, native, window)
  return window
}

/** The context window that an event of a client's main thread belongs to; opened where there is none. */
export async function findOrOpenWindow(tx: Tx, looked: Looked, call: Call): Promise<FoundWindow | undefined> {
  const { event } = looked
  const { session: native } = event
  if (native === undefined) return undefined
  const known = await findWindow(tx, looked, call)
  if (known !== undefined && (!isNewWindow(event) || isTold(event, known.session, call)))
    return { ...known, isBack: false }
  const last = await lastWindow(tx, native, known)
  // Somebody has opened it since we looked.
  if (known === undefined && last?.ended_at === null) return await findOrOpenWindow(tx, looked, call)
  // What nobody knows, such as the trial of an installation, is no sign of somebody at work.
  const isWork = BEGINNINGS.has(event.kind) || (last === undefined && event.kind !== 'other')
  if (!isWork) return undefined
  const taskId = last?.task_id ?? (await taskOf(tx, looked.place, call))
  if (taskId === undefined) return undefined
  const session = await startNext(tx, { event, native, taskId, last, isOpen: known !== undefined }, call)
  const begun = await findWatched(tx, { native_id: native })
  if (begun === undefined) throw new Error('The window was not stored.')
  return {
    session,
    watch: toWatch(begun),
    isBack: last !== undefined && event.kind !== 'session.started',
  }
}

async function lastWindow(tx: Tx, native: string, known: Window | undefined): Promise<Session | undefined> {
  if (known !== undefined) return known.session
  const row = await findLastByNative(tx, { native_id: native })
  return row === undefined ? undefined : toSession(row)
}

interface Next {
  readonly event: HookEvent
  readonly native: string
  readonly taskId: string
  readonly last: Session | undefined
  /** Whether the window before is still open. */
  readonly isOpen: boolean
}

/** What was under way when the old window ended is for the new one to know. */
async function startNext(tx: Tx, next: Next, call: Call): Promise<Session> {
  const { event, native, taskId, last, isOpen } = next
  const isTaken = !isOpen && last !== undefined && (await isHeld(tx, last, call))
  const openCalls = last?.open_calls ?? []
  const context = forgetsContext(event) ? undefined : last
  return await startSession(
    tx,
    {
      task_id: taskId,
      native_id: native,
      client: event.client,
      prev_session_id: last?.id,
      // Whoever comes back to what somebody else has taken up meanwhile does not work on it beside them.
      effort_id: isTaken ? (await findAdHocEffort(tx, { task_id: taskId }))?.id : undefined,
      open_calls: openCalls.length === 0 ? undefined : openCalls,
      loaded_files: context?.loaded_files,
      told_directives: context?.told_directives,
    },
    call,
  )
}

/** What is told late, after the end of a session, must not open it again. */
const BEGINNINGS: ReadonlySet<HookEvent['kind']> = new Set<HookEvent['kind']>([
  'session.started',
  'prompt.submitted',
  'prompt.expanded',
  'tool.before',
])

async function isHeld(tx: Tx, last: Session, { context }: Call): Promise<boolean> {
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
