import type { Change } from '../../model/change.ts'
import type { Decision } from '../../model/decision.ts'
import type { HookEvent } from '../../model/event.ts'
import type { Session } from '../../model/session.ts'
import type { Window } from '../../rules/facts.ts'
import { judge, woken } from '../../rules/judge.ts'
import type { Rule } from '../../rules/rule.ts'
import { flushSession } from '../../store/pending.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'
import { inSession } from '../call/moment.ts'
import { workOf } from '../effort/skill-facts.ts'
import { closeSession } from '../session/session-window.ts'
import { keepPlace } from '../skill/arrival.ts'
import { apply } from './apply.ts'
import { catchUp } from './catch-up.ts'
import { unlooked } from './look.ts'
import type { Looked } from './looks/look.ts'
import { hasMessages, keepMessages, keepRefusal } from './messages.ts'
import { endOrphans } from './orphans.ts'
import { noteAll, noteFirst, noteLast } from './recorders.ts'
import { Scene } from './scene.ts'
import { toldAfter } from './told-call.ts'
import { findOrOpenWindow, findWindow, isTurn } from './window.ts'

const ALLOW: Decision = { kind: 'allow', contexts: [] }

/** Handles events that wake no rule and say nothing, the usual case: records activity and stores nothing. */
export function observeAtOnce(looked: Looked, call: Call): Decision | undefined {
  const { event } = looked
  const { volatile } = call.context.store
  const window =
    event.session === undefined || isTurn(event) ? undefined : volatile.openWindows.get(event.session)
  if (window === undefined || woken(call.context.rules, looked, window).length > 0) return undefined
  const { id } = window.session
  if (event.subagent !== undefined) volatile.add(id, { lastHeartbeat: call.now })
  else if (hasMessages(looked)) return undefined
  else noteAll(looked, id, call)
  return ALLOW
}

/** Handles every hook in one transaction: facts, rules, changes, decision. */
export async function observe(tx: Tx, looked: Looked, given: Call): Promise<Decision> {
  const { event } = looked
  const call = inSession(given, event.session)
  if (event.subagent !== undefined) return await observeSubagent(tx, looked, call)
  const kept = looked.place === undefined ? undefined : await keepPlace(tx, looked.place, call)
  // A new window ends the one before, whose handover note needs its last messages.
  if (event.kind === 'session.started') await catchUp(tx, looked, call)
  const window = await findOrOpenWindow(tx, looked, call, kept?.place)
  if (window === undefined) return ALLOW
  // A client that returns without a start event has resumed its session too.
  const back: HookEvent = { ...event, kind: 'session.started', source: 'resume' }
  const resumed = window.isBack
    ? await decide(tx, { ...unlooked(back), digests: looked.digests }, window, call)
    : { session: window.session, decision: ALLOW }
  const { session } = resumed
  noteFirst(looked, session.id, call)
  await keepMessages(tx, looked, session.id, call)
  const { decision } = await decide(tx, looked, { ...window, session }, call)
  noteLast(looked, session.id, call)
  if (event.kind === 'tool.before' && decision.kind === 'block')
    await keepRefusal(tx, { tool: event.tool, reason: decision.reason, session: session.id }, call)
  const notices = [kept?.told, resumed.decision.notice, decision.notice].filter(
    (notice) => notice !== undefined,
  )
  return {
    ...decision,
    contexts: [...resumed.decision.contexts, ...decision.contexts],
    ...(notices.length > 0 && { notice: notices.join(' ') }),
  }
}

/** An event of a sub-agent counts as activity of its session, and gets no contexts. */
async function observeSubagent(tx: Tx, looked: Looked, call: Call): Promise<Decision> {
  const window = await findWindow(tx, looked, call)
  if (window === undefined) return ALLOW
  call.context.store.volatile.add(window.session.id, { lastHeartbeat: call.now })
  const { decision } = await decide(tx, looked, window, call)
  return { ...decision, contexts: [] }
}

interface Decided {
  readonly decision: Decision
  readonly session: Session
}

async function decide(tx: Tx, looked: Looked, window: Window, call: Call): Promise<Decided> {
  const { event } = looked
  const { session } = window
  const rules = woken(call.context.rules, looked, window)
  if (rules.length === 0 && !isTurn(event)) return { decision: ALLOW, session }
  const { volatile } = call.context.store
  // The traces of a session are read from the store.
  if (event.kind === 'compact.before' || event.kind === 'session.ended')
    await flushSession(tx, volatile, session.id)
  const scene = await Scene.open(tx, { looked, window }, call)
  const judged = await judgeIn(tx, scene, rules, call)
  if (event.kind === 'session.ended') await closeSession(tx, judged.session, 'finished', call)
  return scene.isPaused ? { decision: ALLOW, session: judged.session } : judged
}

async function judgeIn(tx: Tx, scene: Scene, rules: readonly Rule[], call: Call): Promise<Decided> {
  const { looked, window, project } = scene
  const { event, digests } = looked
  const { decision, changes, tellsStanding } = judge(event, await scene.factsFor(rules), rules)
  const now = await apply(tx, changes, { session: window.session, projectId: project.id, digests }, call)
  // A write includes the pending activity, so that a crash loses less.
  if (changes.length > 0) await flushSession(tx, scene.volatile, window.session.id)
  // Ends stale sessions, so that they cannot return to an effort that was taken over.
  if (event.kind === 'session.started' || changes.some(takesUp))
    await endOrphans(tx, event, { projectId: project.id, since: scene.since }, call)
  const work = tellsStanding ? await workOf(tx, { session: now, project, digests }) : undefined
  if (work === undefined) return { decision, session: now }
  return {
    decision: {
      ...decision,
      contexts: [...decision.contexts, ...(await toldAfter(tx, scene, { work, session: now }))],
    },
    session: now,
  }
}

const takesUp = (change: Change): boolean => change.kind === 'span.opened' && change.effort.kind === 'resume'
