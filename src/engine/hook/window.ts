import type { HookEvent } from '../../model/event.ts'
import type { ProjectPlace } from '../../model/project.ts'
import type { Session } from '../../model/session.ts'
import type { Window } from '../../rules/facts.ts'
import { woken } from '../../rules/judge.ts'
import { isUnfinished } from '../../model/effort.ts'
import { findOwner } from '../../store/agent.ts'
import { openChainOf } from '../../store/continuation.ts'
import { findEffort } from '../../store/effort.ts'
import { findProjectOfTask } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import { findLastByNative, lockOpenByNative, toSession } from '../../store/session.ts'
import { findWatched, toWatch } from '../../store/watch.ts'
import { findTask } from '../../store/task.ts'
import { type Arrival, keepTask, findOrRegisterPlace } from '../skill/arrival.ts'
import { staleSince } from '../call/context.ts'
import { findOrMakeAdHoc } from '../effort/ad-hoc.ts'
import { heldByOthers } from '../effort/held.ts'
import type { Call } from '../call/method.ts'
import type { Looked } from './looks/look.ts'
import { startSession, workIn } from '../session/session-window.ts'
import { type ArrivedAgent, arrivingAgent } from './arriving-agent.ts'

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
  const { session: native = '' } = looked.event
  const found =
    call.context.store.volatile.openWindows.get(native) ?? (await lookUp(tx, looked.event, false, call))
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
  const watch = { ...toWatch(row), isReminded: volatile.isReminded(row.id) }
  const window = { session: volatile.overlay(toSession(row)), watch }
  volatile.openWindows.keep(tx, native, window)
  return window
}

/** Where a new window belongs: the checkout of its client, and the client's own window if it is a scope. */
interface Belonging {
  readonly place?: ProjectPlace | undefined
  readonly parent?: Session | undefined
}

/** The window of an event of the main thread, or of a scope below its parent; opened if missing. */
export async function findOrOpenWindow(
  tx: Tx,
  looked: Looked,
  call: Call,
  to: Belonging = {},
): Promise<FoundWindow | undefined> {
  const { place, parent } = to
  const { event } = looked
  const { session: native } = event
  if (native === undefined) return undefined
  const known = await findWindow(tx, looked, call)
  if (known !== undefined && (!isNewWindow(event) || isTold(event, known.session, call)))
    return { ...known, ...(await moved(tx, known, place, call)), isBack: false }
  const last = await lastWindow(tx, native, known)
  // Another event has opened it meanwhile.
  if (known === undefined && last?.ended_at === null) return await findOrOpenWindow(tx, looked, call, to)
  // Unknown events, such as installation tests, do not show that an agent works.
  const isWork =
    BEGINNINGS.has(event.kind) ||
    (last === undefined && event.kind !== 'other') ||
    (await handsOver(tx, event, last))
  if (!isWork) return undefined
  const above = last?.task_id ?? parent?.task_id
  const begins = above === undefined ? await findOrMakeTask(tx, looked.place, call) : undefined
  const taskId = above ?? begins?.taskId
  if (taskId === undefined) return undefined
  const workplaceId = begins?.workplaceId ?? place?.workplace_id ?? parent?.workplace_id
  // The agent is the main thread's.
  const agent = parent === undefined ? await arrivingAgent(tx, event, { last, taskId }, call) : undefined
  const scopeOf = parent?.native_id ?? undefined
  const next = { event, native, taskId, workplaceId, last, isOpen: known !== undefined, agent, scopeOf }
  const session = await startNext(tx, next, call)
  const begun = await findWatched(tx, { native_id: native })
  if (begun === undefined) throw new Error('The window was not stored.')
  return {
    session,
    watch: toWatch(begun),
    isBack: last !== undefined && event.kind !== 'session.started',
  }
}

async function moved(tx: Tx, { session }: Window, place: ProjectPlace | undefined, call: Call) {
  return place === undefined ? {} : { session: await workIn(tx, session, place.workplace_id, call) }
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
  readonly workplaceId: number | undefined
  readonly last: Session | undefined
  /** Whether the previous window is still open. */
  readonly isOpen: boolean
  readonly agent: ArrivedAgent | undefined
  /** The client's session, if this is a scope of its sub-agent. */
  readonly scopeOf: string | undefined
}

/** Carries the open calls of the old window over to the new one. */
async function startNext(tx: Tx, next: Next, call: Call): Promise<Session> {
  const { event, native, taskId, workplaceId, last, isOpen, agent, scopeOf } = next
  const isTaken = last !== undefined && (await isHeld(tx, last, { isOpen, agent: agent?.id }, call))
  const openCalls = last?.open_calls ?? []
  const context = forgetsContext(event) ? undefined : last
  const own = last === undefined || isTaken || !(await isAtWork(tx, last)) ? agent?.own : undefined
  return await startSession(
    tx,
    {
      task_id: own?.task_id ?? taskId,
      workplace_id: workplaceId,
      native_id: native,
      client: event.client,
      pid: event.pid,
      prev_session_id: own === undefined ? last?.id : own.last,
      // A returning session does not rejoin an effort that another session has taken over.
      effort_id: own?.id ?? (isTaken ? (await findOrMakeAdHoc(tx, taskId, call)).id : undefined),
      agent_id: agent?.id,
      open_calls: openCalls.length === 0 ? undefined : openCalls,
      loaded_files: context?.loaded_files,
      told_directives: context?.told_directives,
      scope_of: scopeOf,
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

/** The turn of an effort that was ended elsewhere stops, and its chain goes on. */
const handsOver = async (tx: Tx, { kind }: HookEvent, last: Session | undefined): Promise<boolean> =>
  kind === 'turn.stopped' &&
  last?.ended_reason === 'superseded' &&
  (await openChainOf(tx, { session_id: last.native_id ?? '' })) !== undefined

async function isAtWork(tx: Tx, { effort_id }: Session): Promise<boolean> {
  const effort = await findEffort(tx, { id: effort_id })
  return effort !== undefined && isUnfinished(effort)
}

/** Whether somebody else has the effort of a window that comes back. */
async function isHeld(
  tx: Tx,
  last: Session,
  { isOpen, agent }: { readonly isOpen: boolean; readonly agent: string | undefined },
  { context }: Call,
): Promise<boolean> {
  const owner = await findOwner(tx, { effort_id: last.effort_id })
  if (owner !== undefined && owner.id !== (agent ?? last.agent_id)) return true
  const project = await findProjectOfTask(tx, { dir_path: last.task_id })
  if (isOpen || project === undefined || !(await isAtWork(tx, last))) return false
  const { volatile } = context.store
  const scene = { projectId: project.id, window: undefined, since: staleSince(context), volatile }
  // However silent the other session is: only an explicit continue takes an effort.
  return (await heldByOthers(tx, { ...scene, countsStale: true })).has(last.effort_id)
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

/** The first event in a folder registers its project and a task for the root of its workplace. */
async function findOrMakeTask(tx: Tx, place: Arrival | undefined, call: Call) {
  if (place === undefined) return undefined
  const found = await findOrRegisterPlace(tx, place, call)
  const { root, workplace_id: workplaceId } = found
  const task = await findTask(tx, { dir_path: root })
  if (task?.project_id !== found.id) await keepTask(tx, { dir_path: root, place: found }, call)
  return { taskId: root, workplaceId }
}
