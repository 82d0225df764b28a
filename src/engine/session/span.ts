import type { SpanChange } from '../../model/change.ts'
import type { Session } from '../../model/session.ts'
import type { Span } from '../../model/span.ts'
import { keptText } from '../../model/text/kept.ts'
import { giveEffort } from '../../store/continuation.ts'
import { findEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { completeSpan, insertSpan, resumeSpan, suspendSpan, toSpan } from '../../store/span.ts'
import type { Call } from '../call/method.ts'
import { closeEffort } from '../effort/after-move.ts'
import { startEffort } from '../effort/life.ts'
import { taskFor } from './own-task.ts'
import { type ProjectSession, recordIn } from './project-session.ts'
import { serve } from './session-window.ts'

const LONGEST_ARGS = 10_000
const LONGEST_NOTE = 500
const MOVES = { 'span.resumed': resumeSpan, 'span.suspended': suspendSpan, 'span.completed': completeSpan }

type SpanOpening = Extract<SpanChange, { kind: 'span.opened' }>
type SpanMove = Exclude<SpanChange, SpanOpening>

/** Changes the active skill of a session, records it and returns the updated session. */
export const changeSpan = (tx: Tx, change: SpanChange, at: ProjectSession, call: Call): Promise<Session> =>
  change.kind === 'span.opened' ? openSpan(tx, change, at, call) : moveSpan(tx, change, at, call)

async function moveSpan(tx: Tx, { kind, span }: SpanMove, at: ProjectSession, call: Call): Promise<Session> {
  const row = await MOVES[kind](tx, { span_id: span, now: call.now })
  if (row === undefined) return at.session
  await recordIn(tx, at, { event_type: kind, ...aboutSpan(toSpan(row)) }, call)
  return kind !== 'span.resumed' || row.effort_id === null
    ? at.session
    : await serveEffort(tx, at.session, row.effort_id, call)
}

async function openSpan(tx: Tx, change: SpanOpening, at: ProjectSession, call: Call): Promise<Session> {
  const { skill, mode, args } = change
  const { session } = at
  const effortId = await openEffort(tx, change, at, call)
  const row = await insertSpan(tx, {
    span_id: call.context.newId(),
    skill,
    parent_span_id: change.parent ?? null,
    step: change.step ?? null,
    steps: '[]',
    session_id: session.native_id ?? String(session.id),
    effort_id: effortId,
    now: call.now,
  })
  if (row === undefined) throw new Error('The span was not stored.')
  const about = aboutSpan(toSpan(row))
  const payload = { ...about.payload, mode, ...(args !== '' && { args: keptText(args, LONGEST_NOTE) }) }
  await recordIn(tx, at, { event_type: 'span.opened', ...about, payload }, call)
  // The frame of a skill that forks is done by its sub-agent.
  if (effortId !== null && session.scope_of !== null)
    await giveEffort(tx, { session_id: session.scope_of, skill, effort_id: effortId })
  return effortId === null ? session : await serveEffort(tx, session, effortId, call)
}

async function openEffort(
  tx: Tx,
  { skill, mode, args, effort: wish }: SpanOpening,
  at: ProjectSession,
  call: Call,
): Promise<number | null> {
  if (wish.kind === 'none') return null
  if (wish.kind === 'resume') return wish.id
  if (wish.finishes !== undefined) await closeEffort(tx, { effort_id: wish.finishes }, call)
  const request = keptText(args, LONGEST_ARGS)
  const { workplace_id } = at.session
  const task_id =
    wish.task ?? (await taskFor(tx, at, { skill, request, inWords: wish.inWords === true }, call))
  return (await startEffort(tx, { task_id, workplace_id, skill, mode, request }, call)).id
}

const aboutSpan = ({ span_id, skill, effort_id, parent_span_id }: Span) => ({
  skill,
  ...(effort_id !== null && { effort_id }),
  payload: { span_id, ...(parent_span_id !== null && { parent_span_id }) },
})

/** The session serves the effort of the active skill. */
async function serveEffort(tx: Tx, session: Session, effortId: number, call: Call): Promise<Session> {
  const effort = await findEffort(tx, { id: effortId })
  if (effort?.lifecycle !== 'active') return session
  return await serve(tx, { session, effort, agentId: undefined }, call)
}
