import type { Change } from '../../model/change.ts'
import { keptText } from '../../model/text/kept.ts'
import type { Decision } from '../../model/decision.ts'
import type { HookEvent, ToolCall } from '../../model/event.ts'
import { loadedBy } from '../../model/loaded-files.ts'
import { messagesOf, short, toolMessage } from '../../model/transcript.ts'
import type { CallNews, OpenCall } from '../../model/open-call.ts'
import type { Session } from '../../model/session.ts'
import { hasUntold } from '../../rules/directive-discovery.ts'
import { isHeldUp } from '../../rules/directive-gate.ts'
import { judge } from '../../rules/judge.ts'
import { standing } from '../../rules/standing.ts'
import { isHandOver } from '../../rules/subagent-steps.ts'
import { isAboutTodos } from '../../rules/todo-check.ts'
import { isDue } from '../../rules/watch.ts'
import { openDelegations } from '../../store/delegation.ts'
import type { Tx } from '../../store/query.ts'
import { flushSession } from '../../store/pending.ts'
import { findOpenByNative } from '../../store/session.ts'
import { completeSpan, openSpansOf } from '../../store/span.ts'
import { apply } from './apply.ts'
import type { Arrival } from '../skill/arrival.ts'
import { loadFacts, type Subject } from './facts.ts'
import { workOf } from '../effort/skill-facts.ts'
import { staleSince } from '../call/context.ts'
import type { Call } from '../call/method.ts'
import { directivesWanted } from './directives-touched.ts'
import { closeSession } from '../session/session-window.ts'
import { catchUp } from './transcript-tail.ts'
import { closeOrphans, type Window, windowOf } from './window.ts'

/** Of an event that is only a sign that its client is back. */
const EMPTY = {
  reads: [],
  unsure: undefined,
  invocations: [],
  seen: [],
  directives: [],
  transcript: undefined,
}

const ALLOW: Decision = { kind: 'allow', contexts: [] }

/** Most events of an open window touch no skill: they leave signs of life, and nothing is to be decided or stored. */
export function observeAtOnce(subject: Subject, call: Call): Decision | undefined {
  const { event } = subject
  const { volatile } = call.context.store
  const window = event.session === undefined ? undefined : volatile.windowOf(event.session)
  const isOwn = event.subagent === undefined
  const asks = isOwn ? mayAsk(subject) : isEndOfSubagent(event)
  if (window === undefined || asks) return undefined
  if (isOwn) {
    noteCalls(event, window, call)
    noteContext(subject, window, call)
  } else volatile.add(window, { lastHeartbeat: call.now })
  return ALLOW
}

/** What only the store can tell may be asked of it. */
const mayAsk = (subject: Subject): boolean =>
  isOfInterest(subject) ||
  isAboutTodos(subject.event) ||
  subject.directives.length > 0 ||
  subject.transcript?.tail !== undefined

/** The one call behind every hook: facts from the store, rules, changes to the store, a decision; one transaction. */
export async function observe(
  tx: Tx,
  given: Subject,
  place: Arrival | undefined,
  call: Call,
): Promise<Decision> {
  const { event } = given
  if (event.subagent !== undefined) return await noteSubagent(tx, given, call)
  const interest = isOfInterest(given)
  const found = await windowOf(tx, event, { place, locks: interest }, call)
  if (found === undefined) return ALLOW
  const subject = { ...given, directives: await directivesWanted(tx, given.directives, found.session) }
  const known = { ...subject, session: found.session }
  const due =
    !interest &&
    (isDue(given, found.session, found.watch) || hasUntold(event, known) || isHeldUp(event, known))
  const locked = due ? await windowOf(tx, event, { place, locks: true }, call) : undefined
  // The second look finds the window that the first one has opened.
  const window = { ...(locked ?? found), isBack: found.isBack }
  // A client that comes back without a word has resumed its session all the same.
  const back: HookEvent = { ...event, kind: 'session.started', source: 'resume' }
  const resumed = window.isBack
    ? await decide(tx, { ...EMPTY, event: back, digests: subject.digests }, window, call)
    : { session: window.session, decision: ALLOW }
  const { session } = resumed
  noteCalls(event, session.id, call)
  const { decision } =
    interest || due ? await decide(tx, subject, { ...window, session }, call) : { decision: ALLOW }
  noteContext(subject, session.id, call)
  if (subject.transcript?.tail !== undefined) await catchUp(tx, subject.transcript.tail, call.now)
  if (event.kind === 'tool.before' && decision.kind === 'block')
    noteRefusal(event.tool, decision.reason, session.id, call)
  return { ...decision, contexts: [...resumed.decision.contexts, ...decision.contexts] }
}

/** What a sub-agent does is its own: it neither moves nor ends what the main thread is at, but shows that it lives. */
async function noteSubagent(tx: Tx, subject: Subject, call: Call): Promise<Decision> {
  const { event } = subject
  const { session: native } = event
  const open = native === undefined ? undefined : await findOpenByNative(tx, { native_id: native })
  if (native === undefined || open === undefined) return ALLOW
  call.context.store.volatile.add(open.id, { lastHeartbeat: call.now })
  if (!isEndOfSubagent(event) || (await openDelegations(tx, { session_id: native })).length === 0)
    return ALLOW
  const window = await windowOf(tx, event, { place: undefined, locks: true }, call)
  // What its end means for the plan is the main thread's, and nothing of it is told to the sub-agent.
  if (window !== undefined) await decide(tx, subject, window, call)
  return ALLOW
}

const isEndOfSubagent = ({ kind }: HookEvent): boolean =>
  kind === 'subagent.stopped' || kind === 'turn.failed'

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
  // What a window leaves behind is looked for where it is stored.
  if (event.kind === 'compact.before' || event.kind === 'session.ended')
    await flushSession(tx, volatile, session.id)
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
  if (changes.length > 0) await flushSession(tx, volatile, session.id)
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
const isOfInterest = ({ event, reads, unsure, invocations, seen, phase }: Subject): boolean =>
  reads.length > 0 ||
  unsure !== undefined ||
  seen.length > 0 ||
  phase !== undefined ||
  isHandOver(event) ||
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

/** Last, so that an event that fails and is told again is not noted twice. */
function noteContext({ event, transcript }: Subject, session: number, call: Call): void {
  const { volatile } = call.context.store
  const [loadedFiles, messages] = [loadedBy(event), messagesOf(event, call.now)]
  if (loadedFiles.length + messages.length > 0) volatile.add(session, { loadedFiles, messages })
  if (transcript === undefined) return
  const { path, offset, usage: measure } = transcript
  if (offset !== undefined) volatile.add(session, { transcript: { path, offset, at: call.now } })
  // A status line knows better.
  if (measure !== undefined && volatile.measureOf(session) === undefined)
    volatile.add(session, { contextUsage: measure.usage })
}

/** Signs of life and open calls change with every tool call, so they are kept in memory and written soon. */
function noteCalls(event: HookEvent, session: number, call: Call): void {
  const beats = event.kind === 'tool.before' && event.tool.id === undefined ? 1 : 0
  const news = { beats, lastHeartbeat: call.now, calls: newsOf(event, call) }
  call.context.store.volatile.add(session, news)
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

/** A call that is refused never begins, and nobody tells its end. */
function noteRefusal(tool: ToolCall, reason: string, session: number, call: Call): void {
  const messages = [toolMessage(tool, `refused: ${short(reason)}`, call.now)]
  call.context.store.volatile.add(session, { calls: endOf([tool]), messages })
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
