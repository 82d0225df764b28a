import { type Effort, isUnfinished } from '../../model/effort.ts'
import type { Session } from '../../model/session.ts'
import type { Span } from '../../model/span.ts'
import { needsNoMore } from '../../rules/spans.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { findOpenByNative, toSession } from '../../store/session.ts'
import { openSpansOf, openSpansOfEffort, toSpan } from '../../store/span.ts'
import { placeOfSession } from '../../store/workplace.ts'
import type { Call } from '../call/method.ts'
import { askerOf, holderOf } from '../effort/holder.ts'
import { closeEffort } from '../effort/after-move.ts'
import { workOf } from '../effort/skill-facts.ts'
import type { Mover } from '../effort/mover.ts'
import { leaveStep } from '../effort/step-leave.ts'
import { NO_DIGESTS, type SeenFiles } from '../plan/recorded.ts'
import { lineOf } from '../plan/rounds.ts'
import { changeSpan } from './span.ts'

/** Does something that may end an effort and those above it; their sessions then go back to the work that called it. */
export async function andReturn<Result>(
  tx: Tx,
  id: number,
  call: Call,
  work: () => Promise<Result>,
): Promise<Result> {
  const spans: Span[] = []
  for (const effort_id of [id, ...(await lineOf(tx, id))])
    spans.push(...(await openSpansOfEffort(tx, { effort_id })).map(toSpan))
  const result = await work()
  for (const span of spans.filter(({ status }) => status === 'active')) {
    const row = await findEffort(tx, { id: span.effort_id ?? id })
    const waiting = row?.lifecycle === 'finished' ? await waitingIn(tx, span) : undefined
    if (waiting !== undefined) await resume(tx, waiting, call)
  }
  return result
}

/** Ends a step; its session comes back from the skill that the step called. */
export const leaveAndReturn = (
  tx: Tx,
  mover: Mover,
  leaving: Parameters<typeof leaveStep>[2],
  files: SeenFiles,
  call: Call,
): Promise<Mover> =>
  andReturn(tx, mover.effort.id, call, async () => {
    if (leaving.step.runs?.kind === 'skill') await returnFromCalled(tx, mover.effort, call)
    return await leaveStep(tx, mover, leaving, files, call)
  })

/** The span that a session goes back to: the caller of the ended one, else the newest with open work. */
async function waitingIn(tx: Tx, { session_id, parent_span_id }: Span): Promise<Span | undefined> {
  const open: Span[] = []
  for (const span of (await openSpansOf(tx, { session_id: session_id ?? '' })).map(toSpan)) {
    const row = span.effort_id === null ? undefined : await findEffort(tx, { id: span.effort_id })
    if (row !== undefined && isUnfinished(row)) open.push(span)
  }
  return open.find(({ span_id }) => span_id === parent_span_id) ?? open[0]
}

/** Brings the sessions of an effort back from the skills that it called; those that need no more are finished. */
async function returnFromCalled(tx: Tx, { id }: Pick<Effort, 'id'>, call: Call): Promise<void> {
  const own = (await openSpansOfEffort(tx, { effort_id: id })).map(toSpan)
  for (const span of own.filter(({ status }) => status === 'suspended')) {
    const spans = (await openSpansOf(tx, { session_id: span.session_id ?? '' })).map(toSpan)
    const called = spans.find(
      ({ status, parent_span_id }) => status === 'active' && parent_span_id === span.span_id,
    )
    if (called === undefined) continue
    const work =
      called.effort_id === null
        ? undefined
        : await workOf(tx, { session: { effort_id: called.effort_id }, digests: NO_DIGESTS })
    if (work !== undefined && needsNoMore(work)) await closeEffort(tx, { effort_id: work.effort.id }, call)
    await resume(tx, span, call, called)
  }
}

async function resume(tx: Tx, span: Span, call: Call, called?: Span): Promise<void> {
  const { session_id, span_id } = span
  const row = await findOpenByNative(tx, { native_id: session_id ?? '' })
  const place = row === undefined ? undefined : await placeOfSession(tx, row)
  if (row === undefined || place === undefined || (await isTaken(tx, span, toSession(row), call))) return
  const at = { session: call.context.store.volatile.overlay(toSession(row)), projectId: place.id }
  if (called !== undefined) await changeSpan(tx, { kind: 'span.suspended', span: called.span_id }, at, call)
  await changeSpan(tx, { kind: 'span.resumed', span: span_id }, at, call)
}

/** Somebody else may have taken the work over meanwhile. */
async function isTaken(tx: Tx, { effort_id }: Span, session: Session, { context }: Call): Promise<boolean> {
  const row = effort_id === null ? undefined : await findEffort(tx, { id: effort_id })
  return row !== undefined && (await holderOf(tx, toEffort(row), askerOf(session), context)) !== undefined
}
