import type { Change } from '../model/change.ts'
import { keptText } from '../model/kept.ts'
import type { Decision } from '../model/decision.ts'
import type { HookEvent, ToolCall } from '../model/event.ts'
import type { CallNews, OpenCall } from '../model/open-call.ts'
import type { Session } from '../model/session.ts'
import { judge } from '../rules/judge.ts'
import { standing } from '../rules/standing.ts'
import { isDue } from '../rules/watch.ts'
import type { Tx } from '../store/query.ts'
import { findOpenByNative, flushSessions } from '../store/session.ts'
import { completeSpan, openSpansOf } from '../store/span.ts'
import { apply } from './apply.ts'
import type { Arrival } from './arrival.ts'
import { loadFacts, type Subject, workOf } from './facts.ts'
import { staleSince } from './context.ts'
import type { Call } from './method.ts'
import { closeSession } from './session-window.ts'
import { closeOrphans, type Window, windowOf } from './window.ts'

const ALLOW: Decision = { kind: 'allow', contexts: [] }

/** The one call behind every hook: facts from the store, rules, changes to the store, a decision; one transaction. */
export async function observe(
  tx: Tx,
  subject: Subject,
  place: Arrival | undefined,
  call: Call,
): Promise<Decision> {
  const { event } = subject
  if (event.subagent !== undefined) return await noteSubagent(tx, event, call)
  const interest = isOfInterest(subject)
  const found = await windowOf(tx, event, { place, locks: interest }, call)
  if (found === undefined) return ALLOW
  const due = !interest && isDue(event, found.session, found.watch)
  const locked = due ? await windowOf(tx, event, { place, locks: true }, call) : undefined
  // The second look finds the window that the first one has opened.
  const window = { ...(locked ?? found), isBack: found.isBack }
  // A client that comes back without a word has resumed its session all the same.
  const back: HookEvent = { ...event, kind: 'session.started', source: 'resume' }
  const resumed = window.isBack
    ? await decide(tx, { ...subject, event: back, reads: [], invocations: [], seen: [] }, window, call)
    : { session: window.session, decision: ALLOW }
  const { session } = resumed
  noteCalls(event, session, call)
  if (!interest && !due) return resumed.decision
  const { decision } = await decide(tx, subject, { ...window, session }, call)
  // A call that is refused never begins.
  if (event.kind === 'tool.before' && event.tool.id !== undefined && decision.kind === 'block')
    call.context.store.volatile.add(session.id, { calls: [{ ended: [event.tool.id] }] })
  return { ...decision, contexts: [...resumed.decision.contexts, ...decision.contexts] }
}

/** What a sub-agent does is its own: it neither moves nor ends what the main thread is at, but shows that it lives. */
async function noteSubagent(tx: Tx, { session: native }: HookEvent, call: Call): Promise<Decision> {
  const open = native === undefined ? undefined : await findOpenByNative(tx, { native_id: native })
  if (open !== undefined) call.context.store.volatile.add(open.id, { lastHeartbeat: call.now })
  return ALLOW
}

async function decide(
  tx: Tx,
  subject: Subject,
  { session, watch }: Pick<Window, 'session' | 'watch'>,
  call: Call,
): Promise<{ readonly decision: Decision; readonly session: Session }> {
  const { event } = subject
  const { store } = call.context
  const since = staleSince(call.context)
  // Whoever pauses wants peace, and afterwards to go on where the agent then is.
  const isPaused = call.context.pausedUntil() !== undefined
  const { volatile } = store
  const { facts, project } = await loadFacts(tx, subject, {
    session,
    watch,
    since,
    volatile,
    isPaused,
  })
  const { decision, changes, tellsStanding } = judge(event, facts)
  const now = await apply(tx, changes, { session, projectId: project.id, digests: subject.digests }, call)
  // What is written anyway takes the signs of life with it, so that a crash forgets less.
  if (changes.length > 0) await flushSessions(tx, volatile.take(tx, session.id).sessions)
  // What a silent one was at may have been taken up, and it must not come back to it as if it had not.
  if (event.kind === 'session.started' || changes.some(takesUp))
    await endOrphans(tx, event, { projectId: project.id, since }, call)
  if (event.kind === 'session.ended') await closeSession(tx, now, 'finished', call)
  if (isPaused) return { decision: ALLOW, session: now }
  const work = tellsStanding
    ? await workOf(tx, { session: now, project, digests: subject.digests })
    : undefined
  if (work === undefined) return { decision, session: now }
  return { decision: { ...decision, contexts: [...decision.contexts, ...standing(work)] }, session: now }
}

const takesUp = (change: Change): boolean => change.kind === 'span.opened' && change.effort.kind === 'resume'

/** Most events touch no skill, and cost one look at their session. */
const isOfInterest = ({ event, reads, invocations, seen }: Subject): boolean =>
  reads.length > 0 ||
  seen.length > 0 ||
  invocations.length > 0 ||
  event.kind === 'session.started' ||
  event.kind === 'compact.before' ||
  event.kind === 'session.ended'

async function endOrphans(
  tx: Tx,
  event: HookEvent,
  found: { readonly projectId: number; readonly since: string },
  call: Call,
): Promise<void> {
  for (const native of await closeOrphans(tx, event, found, call))
    for (const { span_id, skill } of await openSpansOf(tx, { session_id: native })) {
      await completeSpan(tx, { span_id, now: call.now })
      const payload = { span_id, orphaned: true }
      await call.record(tx, { event_type: 'span.completed', skill, project_id: found.projectId, payload })
    }
}

/** Signs of life and open calls change with every tool call, so they are kept in memory and written soon. */
function noteCalls(event: HookEvent, session: Session, call: Call): void {
  const beats = event.kind === 'tool.before' && event.tool.id === undefined ? 1 : 0
  const news = { beats, lastHeartbeat: call.now, calls: newsOf(event, call) }
  call.context.store.volatile.add(session.id, news)
}

/** A call that somebody else refused is told only by the batch and by the end of the turn. */
function newsOf(event: HookEvent, call: Call): readonly CallNews[] {
  switch (event.kind) {
    case 'tool.before':
      return event.tool.id === undefined ? [] : [{ begun: openCall(event.tool, event.tool.id, call) }]
    case 'tool.after':
    case 'tool.failed':
    case 'permission.denied':
      return endOf([event.tool])
    case 'tool.batch':
      return endOf(event.tools)
    case 'turn.stopped':
    case 'turn.failed':
      return [{ ended: 'all' }]
    default:
      return []
  }
}

const endOf = (tools: readonly ToolCall[]): readonly CallNews[] => [
  { ended: tools.flatMap(({ id }) => id ?? []) },
]

const openCall = ({ name, does }: ToolCall, id: string, { now }: Call): OpenCall => ({
  id,
  tool: name,
  what: keptText(whatOf(does), 100),
  at: now,
})

function whatOf(does: ToolCall['does']): string {
  switch (does.kind) {
    case 'command':
      return does.command
    case 'files':
      return does.touches.map(({ path }) => path).join(' ')
    case 'skill':
      return does.name
    case 'agent':
      return does.type ?? ''
    case 'todos':
    case 'other':
      return ''
    default:
      return does satisfies never
  }
}
