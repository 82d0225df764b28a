import { timestamp } from '../model/clock.ts'
import type { OpenCall } from '../model/change.ts'
import type { Decision } from '../model/decision.ts'
import type { HookEvent, ToolCall } from '../model/event.ts'
import type { Session } from '../model/session.ts'
import { STALE_AFTER_SECONDS } from '../model/session.ts'
import { judge } from '../rules/judge.ts'
import { standing } from '../rules/standing.ts'
import type { Tx } from '../store/query.ts'
import { completeSpan, openSpansOf } from '../store/span.ts'
import { apply } from './apply.ts'
import { loadFacts, type Subject, workOf } from './facts.ts'
import type { Call } from './method.ts'
import { closeSession } from './session-window.ts'
import { type Arrival, closeOrphans, windowOf } from './window.ts'

const ALLOW: Decision = { kind: 'allow', contexts: [] }

/** The one call behind every hook: facts from the store, rules, changes to the store, a decision; one transaction. */
export async function observe(
  tx: Tx,
  subject: Subject,
  place: Arrival | undefined,
  call: Call,
): Promise<Decision> {
  const { event } = subject
  // What a sub-agent does is its own: it neither moves nor ends what the main thread is at.
  if (event.subagent !== undefined) return ALLOW
  const session = await windowOf(tx, event, place, call)
  if (session === undefined) return ALLOW
  if (!isOfInterest(subject)) {
    noteCalls(event, session, call)
    return ALLOW
  }
  const since = timestamp(call.context.clock.now() - STALE_AFTER_SECONDS * 1000)
  // Whoever pauses wants peace, and afterwards to go on where the agent then is.
  const isPaused = call.context.pausedUntil() !== undefined
  const { facts, project } = await loadFacts(tx, subject, { session, since, isPaused })
  const { decision, changes, tellsStanding } = judge(event, facts)
  const now = await apply(tx, changes, { session, projectId: project.id }, call)
  // Of a call that was refused nobody will hear again.
  if (decision.kind === 'allow') noteCalls(event, now, call)
  if (event.kind === 'session.started') await endOrphans(tx, event, { projectId: project.id, since }, call)
  if (event.kind === 'session.ended') await closeSession(tx, now, 'finished', call)
  if (isPaused) return ALLOW
  if (!tellsStanding) return decision
  const work = await workOf(tx, { session: now, project })
  return work === undefined ? decision : { ...decision, contexts: [...decision.contexts, ...standing(work)] }
}

/** Most events touch no skill, and cost one look at their session. */
const isOfInterest = ({ event, reads, invocations }: Subject): boolean =>
  reads.length > 0 ||
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
  const { volatile } = call.context.store
  if (event.kind === 'tool.before') {
    const { id } = event.tool
    if (id !== undefined && session.open_calls.some((open) => open.id === id)) return
    const openCalls =
      id === undefined ? session.open_calls : [...session.open_calls, openCall(event.tool, id, call)]
    volatile.add(session.id, { beats: 1, lastHeartbeat: call.now, openCalls: openCalls.slice(-MOST_OPEN) })
  } else if (event.kind === 'tool.after' || event.kind === 'tool.failed') {
    const openCalls = session.open_calls.filter((open) => open.id !== event.tool.id)
    volatile.add(session.id, { lastHeartbeat: call.now, openCalls })
  } else if (event.kind !== 'session.started') volatile.add(session.id, { lastHeartbeat: call.now })
}

/** More at once is a client that never tells how its calls end. */
const MOST_OPEN = 50

const openCall = ({ name, does }: ToolCall, id: string, { now }: Call): OpenCall => ({
  id,
  tool: name,
  what: whatOf(does).slice(0, 100),
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
