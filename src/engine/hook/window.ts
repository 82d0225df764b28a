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
import { type Arrival, keepTask, findOrRegisterProject } from '../skill/arrival.ts'
import { staleSince } from '../call/context.ts'
import { heldByOthers } from '../effort/held.ts'
import type { Call } from '../call/method.ts'
import type { Looked } from './looks/look.ts'
import { startSession } from '../session/session-window.ts'

/** A client with duplicate hooks repeats a start event within this time. */
const TWICE_MILLISECONDS = 2000

interface FoundWindow extends Window {
  /** Just opened by a client that had a window before and sent no start event. */
  readonly isBack: boolean
}

/** Events that start or end a context; they always need the transaction. */
export const isTurn = ({ kind, subagent }: HookEvent): boolean =>
  subagent === undefined &&
  (kind === 'session.started' || kind === 'session.ended' || kind === 'compact.before')

/** The open window of a client's session, if there is one. */
export async function findWindow(tx: Tx, looked: Looked, call: Call): Promise<Window | undefined> {
  const found = await lookUp(tx, looked.event, false, call)
  // The embedded database has a single writer and needs no lock.
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

/** The window of an event of the main thread, or of a scope below its parent; opened if missing. */
export async function findOrOpenWindow(
  tx: Tx,
  looked: Looked,
  call: Call,
  parent?: Session,
): Promise<FoundWindow | undefined> {
  const { event } = looked
  const { session: native } = event
  if (native === undefined) return undefined
  const known = await findWindow(tx, looked, call)
  if (known !== undefined && (!isNewWindow(event) || isTold(event, known.session, call)))
    return { ...known, isBack: false }
  const last = await lastWindow(tx, native, known)
  // Another event has opened it meanwhile.
  if (known === undefined && last?.ended_at === null) return await findOrOpenWindow(tx, looked, call, parent)
  // Unknown events, such as installation tests, do not show that an agent works.
  const isWork = BEGINNINGS.has(event.kind) || (last === undefined && event.kind !== 'other')
  if (!isWork) return undefined
  const taskId = last?.task_id ?? parent?.task_id ?? (await findOrMakeTask(tx, looked.place, call))
  if (taskId === undefined) return undefined
  const session = await startNext(
    tx,
    {
      event,
      native,
      taskId,
      last,
      isOpen: known !== undefined,
      scopeOf: parent?.native_id ?? last?.scope_of,
    },
    call,
  )
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
  /** Whether the previous window is still open. */
  readonly isOpen: boolean
  /** The client's session, if this is a scope of its sub-agent. */
  readonly scopeOf: string | null | undefined
}

/** Carries the open calls of the old window over to the new one. */
async function startNext(tx: Tx, next: Next, call: Call): Promise<Session> {
  const { event, native, taskId, last, isOpen, scopeOf } = next
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
      // A returning session does not rejoin an effort that another session has taken over.
      effort_id: isTaken ? (await findAdHocEffort(tx, { task_id: taskId }))?.id : undefined,
      open_calls: openCalls.length === 0 ? undefined : openCalls,
      loaded_files: context?.loaded_files,
      told_directives: context?.told_directives,
      scope_of: scopeOf ?? undefined,
    },
    call,
  )
}

/** The events that reopen an ended session; late events must not. */
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
  // The embedded database has a single writer and needs no lock.
  if (!locks || tx.kind === 'sqlite') return await findWatched(tx, known)
  // While this one waited, another transaction may have replaced the window.
  const isThere = ((await lockOpenByNative(tx, known)) ?? (await lockOpenByNative(tx, known))) !== undefined
  return isThere ? await findWatched(tx, known) : undefined
}

/** A compaction or a resume starts a new window of the same session. */
const isNewWindow = (event: HookEvent): boolean =>
  event.kind === 'session.started' && (event.source === 'compact' || event.source === 'resume')

/** A resumed client restores the old context; any other start loses the files it had read. */
const forgetsContext = (event: HookEvent): boolean =>
  event.kind === 'session.started' && event.source !== 'resume'

/** A repeated start event finds the window it just opened; after a compaction only one with a predecessor. */
const isTold = (event: HookEvent, session: Session, { context }: Call): boolean =>
  (session.prev_session_id !== null || (event.kind === 'session.started' && event.source === 'resume')) &&
  session.heartbeat_counter === 0 &&
  context.clock.now() - Date.parse(session.created_at) < TWICE_MILLISECONDS

/** The first event in a folder registers its project and a task for the project root. */
async function findOrMakeTask(tx: Tx, place: Arrival | undefined, call: Call): Promise<string | undefined> {
  if (place === undefined) return undefined
  const { id, path } = await findOrRegisterProject(tx, place, call)
  return (
    (await findTask(tx, { dir_path: path }))?.dir_path ??
    (await keepTask(tx, { dir_path: path, project_id: id }, call)).dir_path
  )
}
