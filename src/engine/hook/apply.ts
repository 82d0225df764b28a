import type { Change } from '../../model/change.ts'
import { addSeen } from '../../model/plan/shown.ts'
import { scopeId, type Session } from '../../model/session.ts'
import { dropPlanNews } from '../../store/plan.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'
import { closeEffort } from '../effort/after-move.ts'
import { markTodos } from '../effort/todo-marks.ts'
import { recordSeen } from '../plan/record-artifact.ts'
import type { Digests } from '../plan/recorded.ts'
import { keepSeen, seenBy } from '../plan/shown.ts'
import { type ProjectSession, recordIn } from '../session/project-session.ts'
import { changeSpan } from '../session/span.ts'
import { visitStep } from '../session/step-visit.ts'
import { markSession } from '../session/told.ts'
import { keepForNext } from '../session/window-end.ts'
import { changeChain } from './chain.ts'
import { noteDelegation, noteReport } from './delegation.ts'
import { entryOf } from './entries.ts'
import { setModes } from './modes.ts'
import { queueNotes } from './notes.ts'
import { enterStage } from './stage.ts'

interface SeenSession extends ProjectSession {
  readonly digests: Digests
}

/** Applies the changes of the rules in order, records them and returns the updated session. */
export async function apply(
  tx: Tx,
  changes: readonly Change[],
  at: SeenSession,
  call: Call,
): Promise<Session> {
  let { session } = at
  for (const change of changes) session = await applyOne(tx, change, { ...at, session }, call)
  return session
}

async function applyOne(tx: Tx, change: Change, at: SeenSession, call: Call): Promise<Session> {
  const { session } = at
  switch (change.kind) {
    case 'span.opened':
    case 'span.resumed':
    case 'span.suspended':
    case 'span.completed':
      return await changeSpan(tx, change, at, call)
    case 'step.visited':
      await visitStep(tx, change, at, call)
      return session
    case 'lines.shown':
      await keepLines(tx, change, session, call)
      return session
    case 'refused':
    case 'asked':
    case 'read.unresolved':
    case 'write.unresolved':
    case 'rule.failed':
    case 'memory.told':
    case 'memory.missed':
      await recordIn(tx, at, entryOf(change, session), call)
      return session
    case 'evidence.seen':
      await recordSeen(tx, change.run, at.digests, call)
      return session
    case 'stage.entered':
    case 'modes.set':
      await (change.kind === 'modes.set' ? setModes(tx, change, at, call) : enterStage(tx, change, at, call))
      return session
    case 'steps.delegated':
    case 'skill.forked':
    case 'delegation.noted':
      await noteDelegation(tx, change, at, call)
      return session
    case 'step.reported':
      await noteReport(tx, change, at, call)
      return session
    case 'todos.heard':
      await markTodos(tx, { effortId: change.effort, sessionId: session.id, items: change.items }, call)
      return session
    case 'heartbeat.reminded':
      return remind(tx, change.effort, session, call)
    case 'context.told':
    case 'directives.told':
    case 'losses.told':
    case 'calls.unknown':
      return await markSession(tx, change, at, call)
    case 'plan.told':
    case 'effort.carried-out':
    case 'chain.begun':
    case 'chain.moved':
    case 'noted':
    case 'dehydrated':
      await keepOne(tx, change, at, call)
      return session
    default:
      return change satisfies never
  }
}

type Kept = 'plan.told' | 'effort.carried-out' | 'chain.begun' | 'chain.moved' | 'noted' | 'dehydrated'

/** Stores what concerns other things than the session. */
async function keepOne(
  tx: Tx,
  change: Extract<Change, { kind: Kept }>,
  at: SeenSession,
  call: Call,
): Promise<void> {
  switch (change.kind) {
    case 'plan.told':
      await dropPlanNews(tx, call.context.store.volatile, { effort_id: change.effort })
      return
    case 'effort.carried-out':
      await closeEffort(tx, { effort_id: change.effort }, call)
      return
    case 'chain.begun':
    case 'chain.moved':
      return await changeChain(tx, change, at, call)
    case 'noted':
      return await queueNotes(tx, change, at, call)
    case 'dehydrated':
      return await keepNote(tx, change, at.session, call)
    default:
      return change satisfies never
  }
}

async function keepLines(
  tx: Tx,
  { effort: effort_id, to, step, seen }: Extract<Change, { kind: 'lines.shown' }>,
  { native_id }: Session,
  { now }: Call,
): Promise<void> {
  const about = { effort_id, scope: scopeId(native_id ?? '', to) }
  const before = (await seenBy(tx, about))[step]
  await keepSeen(tx, about, { step, seen: addSeen(before, seen), now })
}

/** The call may have begun other work, with a count of its own. */
function remind(tx: Tx, effort: number, session: Session, { context }: Call): Session {
  if (session.effort_id !== effort) return session
  context.store.volatile.remind(session.id)
  tx.onRollback(() => context.store.volatile.forgetReminder(session.id))
  return session
}

async function keepNote(
  tx: Tx,
  { effort: effort_id, payload }: Extract<Change, { kind: 'dehydrated' }>,
  { id: session_id }: Session,
  call: Call,
): Promise<void> {
  await keepForNext(tx, { effort_id, author: 'engine', session_id, payload }, call)
}
