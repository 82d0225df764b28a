import type { SpanChange } from '../../model/change.ts'
import type { Effort } from '../../model/effort.ts'
import type { ProjectPlace } from '../../model/project.ts'
import type { Session } from '../../model/session.ts'
import type { Span } from '../../model/span.ts'
import type { SkillFacts } from '../../rules/facts.ts'
import { takeCharge } from '../../rules/spans.ts'
import { artifactsOf } from '../../store/artifact.ts'
import { replaceEffort } from '../../store/continuation.ts'
import { findEffort, inheritRequest } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { moveRuns } from '../../store/skill-run.ts'
import { callerOfEffort, openSpansOf, toSpan } from '../../store/span.ts'
import { changeSpan } from './span.ts'
import { closeEffort } from '../effort/after-move.ts'
import type { Call } from '../call/method.ts'
import { storedProgress } from '../plan/progress.ts'

/** Makes the skill of an effort active in a client's session; replaces an effort that the bare call started. */
export async function takeOver(
  tx: Tx,
  scene: {
    readonly session: Session
    readonly project: ProjectPlace
    readonly work: SkillFacts
    /** Which unused efforts of the skill it ends: by default that of a call without words. */
    readonly replaces?: 'every' | 'none'
    /** Set if somebody asks for the effort by its number: only the skill that called it before is its caller. */
    readonly isResumed?: boolean
  },
  call: Call,
): Promise<Session> {
  const { session, project, work, replaces, isResumed = false } = scene
  if (session.native_id === null) return session
  const spans = (await openSpansOf(tx, { session_id: session.native_id })).map(toSpan)
  const isOther = (span: (typeof spans)[number]) =>
    span.skill === work.name && span.effort_id !== null && span.effort_id !== work.effort?.id
  const others = spans.filter(isOther)
  const ends = others.map(({ span_id: span }): SpanChange => ({ kind: 'span.completed', span }))
  const begins = takeCharge(
    spans.filter((span) => !isOther(span)),
    work,
    { byUser: isResumed && !(await isCalledIn(tx, spans, work)) },
  )
  let now = session
  for (const change of [...ends, ...begins])
    now = await changeSpan(tx, change, { session: now, projectId: project.id }, call)
  if (replaces === 'none') return now
  for (const { effort_id: id } of others)
    if (id !== null) await dropUntouched(tx, { id, heir: work.effort?.id, replaces }, call)
  return now
}

/** Whether one of these spans serves the effort whose skill called the skill of this one. */
async function isCalledIn(tx: Tx, spans: readonly Span[], { effort }: SkillFacts): Promise<boolean> {
  const caller = effort === undefined ? undefined : await callerOfEffort(tx, { effort_id: effort.id })
  return caller?.effort_id != null && spans.some(({ effort_id }) => effort_id === caller.effort_id)
}

/** Whether a call of the skill began an effort for which nothing was done. */
export async function isUnused(
  tx: Tx,
  {
    id,
    lifecycle,
    request,
    current_phase: phase,
  }: Pick<Effort, 'id' | 'lifecycle' | 'request' | 'current_phase'>,
): Promise<boolean> {
  if (lifecycle !== 'active' || request === null || phase !== null) return false
  if ((await storedProgress(tx, id)) !== undefined) return false
  return (await artifactsOf(tx, { effort_id: id })).length === 0
}

/** Finishes an unused effort that a call started: without words, or replaced by the task that it lacked. */
async function dropUntouched(
  tx: Tx,
  {
    id,
    heir,
    replaces,
  }: { readonly id: number; readonly heir: number | undefined; readonly replaces?: 'every' | undefined },
  call: Call,
): Promise<void> {
  const effort = await findEffort(tx, { id })
  if (effort === undefined || effort.agent_id !== null || !(await isUnused(tx, effort))) return
  if (replaces === undefined && effort.request !== '') return
  if (heir !== undefined) await replaceEffort(tx, { from: id, to: heir })
  if (heir !== undefined) await moveRuns(tx, { from: id, to: heir })
  if (heir !== undefined && effort.request !== null && effort.request !== '')
    await inheritRequest(tx, { id: heir, request: effort.request })
  const reason = heir === undefined ? 'It never began.' : `Replaced by effort ${heir} before it began.`
  await closeEffort(tx, { effort_id: id, outcome: 'abandoned', reason }, call)
}
