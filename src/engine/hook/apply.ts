import type { Change } from '../../model/change.ts'
import { toldAfter } from '../../model/directive.ts'
import { keptText } from '../../model/text/kept.ts'
import type { LedgerEntry } from '../../model/ledger.ts'
import type { Session } from '../../model/session.ts'
import type { Span } from '../../model/span.ts'
import { findEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { findSame, insertItem } from '../../store/queue.ts'
import { setContextTold, setToldDirectives } from '../../store/watch.ts'
import { findDigest } from '../../store/skill.ts'
import {
  completeSpan,
  insertSpan,
  openSpansOf,
  resumeSpan,
  setSpanSteps,
  suspendSpan,
  toSpan,
} from '../../store/span.ts'
import { noteDelegation } from './delegation.ts'
import { closeEffort, startEffort } from '../effort/life.ts'
import type { Call } from '../call/method.ts'
import { storeProgress, useApproval } from '../plan/progress.ts'
import { recordSeen } from '../plan/record-artifact.ts'
import type { Digests } from '../plan/recorded.ts'
import { serve } from '../session/session-window.ts'
import { markTodos } from '../effort/todo-marks.ts'
import { enterStage } from './stage.ts'
import { keepForNext } from '../session/window-end.ts'

interface Scene {
  readonly session: Session
  readonly projectId: number
  readonly digests: Digests
}

interface Recording extends Scene {
  readonly record: (entry: LedgerEntry) => Promise<void>
}

/** Makes true what the rules said, in order, and tells the ledger. Gives the session as it is afterwards. */
export async function apply(tx: Tx, changes: readonly Change[], scene: Scene, call: Call): Promise<Session> {
  let { session } = scene
  for (const change of changes) session = await applyOne(tx, change, { ...scene, session }, call)
  return session
}

async function applyOne(tx: Tx, change: Change, scene: Scene, call: Call): Promise<Session> {
  const { session } = scene
  const record = (entry: LedgerEntry) =>
    call.record(tx, { session_id: session.id, project_id: scene.projectId, ...entry })
  switch (change.kind) {
    case 'span.opened':
      return await openSpan(tx, change, scene, call)
    case 'span.resumed':
    case 'span.suspended':
    case 'span.completed':
      return await moveSpan(tx, change, { ...scene, record }, call)
    case 'step.visited':
      await visitStep(tx, change, scene, call)
      return session
    case 'refused':
    case 'read.unresolved':
    case 'write.unresolved':
    case 'rule.failed':
      await record(entryOf(change, session))
      return session
    case 'evidence.seen':
      await recordSeen(tx, change.run, scene.digests, call)
      return session
    case 'stage.entered':
      await enterStage(tx, change, scene, call)
      return session
    case 'steps.delegated':
    case 'delegation.noted':
      await noteDelegation(tx, change, scene, call)
      return session
    case 'todos.heard':
      await markTodos(tx, { effortId: change.effort, sessionId: session.id, items: change.items }, call)
      return session
    case 'context.told':
    case 'directives.told':
    case 'calls.unknown':
      return await markSession(tx, change, { ...scene, record }, call)
    case 'noted':
      await queueNotes(tx, change, { ...scene, record }, call)
      return session
    case 'dehydrated': {
      const { effort: effort_id, payload } = change
      await keepForNext(tx, { effort_id, author: 'engine', session_id: session.id, payload }, call)
      return session
    }
    default:
      return change satisfies never
  }
}

/** What is known of the session itself. */
async function markSession(
  tx: Tx,
  change: Extract<Change, { kind: 'context.told' | 'directives.told' | 'calls.unknown' }>,
  { session, record }: Recording,
  call: Call,
): Promise<Session> {
  switch (change.kind) {
    case 'context.told': {
      const { mark, usage } = change
      await setContextTold(tx, { id: session.id, mark })
      if (mark > session.context_told)
        await record({ event_type: 'context.warned', effort_id: session.effort_id, payload: { mark, usage } })
      return { ...session, context_told: mark }
    }
    case 'directives.told': {
      const told_directives = toldAfter(session.told_directives, change.told)
      await setToldDirectives(tx, { id: session.id, told: JSON.stringify(told_directives) })
      const told = change.told.filter(({ how }) => how !== 'refused')
      if (told.length > 0)
        await record({ event_type: 'directive.told', effort_id: session.effort_id, payload: { told } })
      return { ...session, told_directives }
    }
    case 'calls.unknown':
      for (const { id, tool, what } of change.calls)
        await record({
          event_type: 'tool.unknown',
          effort_id: session.effort_id,
          payload: { id, tool, what },
        })
      call.context.store.volatile.add(session.id, { calls: [{ ended: 'all' }] })
      return { ...session, open_calls: [] }
    default:
      return change satisfies never
  }
}

/** What only the ledger is told. */
function entryOf(
  change: Extract<Change, { kind: 'refused' | 'read.unresolved' | 'write.unresolved' | 'rule.failed' }>,
  { effort_id }: Session,
): LedgerEntry {
  if (change.kind === 'refused') return refusalOf(change)
  if (change.kind === 'rule.failed') {
    const { rule, message } = change
    return { event_type: 'rule.failed', payload: { rule, message } }
  }
  if (change.kind === 'write.unresolved')
    return { event_type: 'write.unresolved', effort_id, payload: { command: change.command } }
  const { skill, why, command, steps } = change
  const payload = { why, command, ...(steps.length > 0 && { steps }) }
  return { event_type: 'read.unresolved', skill, effort_id, payload }
}

async function queueNotes(
  tx: Tx,
  { notes, effort }: Extract<Change, { kind: 'noted' }>,
  { projectId, record }: Recording,
  call: Call,
): Promise<void> {
  const about = { project_id: projectId, kind: 'observation' }
  for (const content of notes) {
    if ((await findSame(tx, { ...about, content })) !== undefined) continue
    const item = await insertItem(tx, { ...about, content, effort_id: effort ?? null, now: call.now })
    const payload = { item: item?.id, kind: about.kind }
    await record({ event_type: 'queue.added', ...(effort !== undefined && { effort_id: effort }), payload })
  }
}

function refusalOf(change: Extract<Change, { kind: 'refused' }>): LedgerEntry {
  const { rule, skill, step, phase, effort, reason, observed } = change
  const about = { skill, ...(effort !== undefined && { effort_id: effort }) }
  const payload = { rule, reason, ...(observed && { observed }) }
  if (phase !== undefined) return { event_type: 'phase.refused', ...about, phase, payload }
  return step === undefined
    ? { event_type: 'tool.refused', ...about, payload }
    : { event_type: 'step.refused', ...about, phase: step, payload }
}

type SpanMove = Extract<Change, { kind: 'span.resumed' | 'span.suspended' | 'span.completed' }>
const MOVES = { 'span.resumed': resumeSpan, 'span.suspended': suspendSpan, 'span.completed': completeSpan }

async function moveSpan(
  tx: Tx,
  { kind, span }: SpanMove,
  { session, record }: Recording,
  call: Call,
): Promise<Session> {
  const row = await MOVES[kind](tx, { span_id: span, now: call.now })
  if (row === undefined) return session
  await record({ event_type: kind, ...aboutSpan(toSpan(row)) })
  return kind !== 'span.resumed' || row.effort_id === null
    ? session
    : await serveEffort(tx, session, row.effort_id, call)
}

const aboutSpan = ({ span_id, skill, effort_id, parent_span_id }: Span) => ({
  skill,
  ...(effort_id !== null && { effort_id }),
  payload: { span_id, ...(parent_span_id !== null && { parent_span_id }) },
})

async function openSpan(
  tx: Tx,
  change: Extract<Change, { kind: 'span.opened' }>,
  { session, projectId }: Scene,
  call: Call,
): Promise<Session> {
  const { skill, mode, args, effort: wish } = change
  if (wish.kind === 'start' && wish.finishes !== undefined)
    await closeEffort(tx, { effort_id: wish.finishes }, call)
  const metadata = args === '' ? undefined : { args: keptText(args, LONGEST_ARGS) }
  const effortId =
    wish.kind === 'none'
      ? null
      : wish.kind === 'resume'
        ? wish.id
        : (await startEffort(tx, { task_id: session.task_id, skill, mode, metadata }, call)).id
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
  await call.record(tx, {
    event_type: 'span.opened',
    session_id: session.id,
    project_id: projectId,
    ...about,
    payload: { ...about.payload, mode, ...(args !== '' && { args: keptText(args, LONGEST_NOTE) }) },
  })
  return effortId === null ? session : await serveEffort(tx, session, effortId, call)
}

const LONGEST_ARGS = 10_000
const LONGEST_NOTE = 500

/** The session works on what the skill in charge works on. */
async function serveEffort(tx: Tx, session: Session, effortId: number, call: Call): Promise<Session> {
  const effort = await findEffort(tx, { id: effortId })
  if (effort?.lifecycle !== 'active') return session
  return await serve(tx, { session, taskId: effort.task_id, effortId, agentId: undefined }, call)
}

async function visitStep(
  tx: Tx,
  { skill, step, progress, approved }: Extract<Change, { kind: 'step.visited' }>,
  { session, projectId }: Scene,
  call: Call,
): Promise<void> {
  const row = (await openSpansOf(tx, { session_id: session.native_id ?? '' })).find(
    (span) => span.skill === skill,
  )
  if (row === undefined) return
  const span = toSpan(row)
  // What was read out of order before is in it already.
  const steps = [...new Set([...span.steps, step])]
  await setSpanSteps(tx, { span_id: span.span_id, step, steps: JSON.stringify(steps) })
  const approval =
    approved === true && span.effort_id !== null
      ? await useApproval(tx, { effortId: span.effort_id, kind: 'step', subject: step }, call)
      : undefined
  await call.record(tx, {
    event_type: 'step.visited',
    session_id: session.id,
    project_id: projectId,
    skill,
    phase: step,
    ...(span.effort_id !== null && { effort_id: span.effort_id }),
    payload: {
      span_id: span.span_id,
      ...(progress === undefined && { out_of_order: true }),
      ...(approval !== undefined && { approval_id: approval.id, reason: approval.reason }),
    },
  })
  if (span.effort_id === null || progress === undefined) return
  const definition = await findDigest(tx, { project_id: projectId, name: skill })
  const carried = { effort_id: span.effort_id, digest: definition?.digest ?? null }
  await storeProgress(tx, carried, { progress, begun: step }, call)
}
