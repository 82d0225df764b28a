import type { Change } from '../../model/change.ts'
import type { Decision } from '../../model/decision.ts'
import type { HookEvent } from '../../model/event.ts'
import { stopInScope } from '../../model/scope.ts'
import type { Session } from '../../model/session.ts'
import type { Window } from '../../rules/facts.ts'
import { inOneNotice } from '../../rules/told/notice.ts'
import { judge, woken } from '../../rules/judge.ts'
import type { Rule } from '../../rules/rule.ts'
import { delegatingScopesOf } from '../../store/delegation.ts'
import { flushSession } from '../../store/pending.ts'
import type { Tx } from '../../store/query.ts'
import { toSession } from '../../store/session.ts'
import type { Call } from '../call/method.ts'
import { inSession } from '../call/moment.ts'
import { askerOf } from '../effort/holder.ts'
import { workOf } from '../effort/skill-facts.ts'
import { closeSession, endOthers } from '../session/session-window.ts'
import { keepPlace } from '../skill/arrival.ts'
import { keepRun } from '../skill/skill-run.ts'
import { apply } from './apply.ts'
import { withChain } from './chain.ts'
import { catchUp } from './catch-up.ts'
import { endDelegations } from './delegation.ts'
import { finishCarriedOut } from './carried-out.ts'
import { unlooked } from './look.ts'
import type { Looked } from './looks/look.ts'
import { hasMessages, keepMessages, keepRefusal } from './messages.ts'
import { endOrphans } from './orphans.ts'
import { noteAll, noteFirst, noteLast } from './recorders.ts'
import { Scene } from './scene.ts'
import { beforeScopeEnds, endScopes, scopedIn } from './scope.ts'
import { toldOfWork } from './told-call.ts'
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
  if (event.subagent === undefined) {
    if (hasMessages(looked)) return undefined
    noteAll(looked, id, call)
    return ALLOW
  }
  const answer = looked.scope === undefined ? ALLOW : observeAtOnce(looked.scope, call)
  if (answer !== undefined) volatile.add(id, { lastHeartbeat: call.now })
  return answer
}

/** Handles every hook in one transaction: facts, rules, changes, decision. */
export async function observe(tx: Tx, looked: Looked, given: Call): Promise<Decision> {
  const { event } = looked
  // In its scope too, a sub-agent belongs to the session of its client.
  const call = inSession(given, event.session)
  return event.subagent === undefined
    ? await observeOwn(tx, looked, call)
    : await observeSubagent(tx, looked, call)
}

/** An event of a main thread; a sub-agent is one in its own scope. */
async function observeOwn(tx: Tx, looked: Looked, call: Call, parent?: Session): Promise<Decision> {
  const { event } = looked
  const kept = looked.place === undefined ? undefined : await keepPlace(tx, looked.place, call)
  // A new window ends the one before, whose handover note needs its last messages.
  if (event.kind === 'session.started') await catchUp(tx, looked, call)
  const window = await findOrOpenWindow(tx, looked, call, { place: kept?.place, parent })
  if (window === undefined) return ALLOW
  await endDelegations(tx, event, window.session, call)
  // A client that returns without a start event has resumed its session too.
  const back: HookEvent = { ...event, kind: 'session.started', source: 'resume', isBack: true }
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
    ...(notices.length > 0 && { notice: inOneNotice(notices) }),
  }
}

/** An event of a sub-agent counts as activity of its session, and gets no contexts of the main thread. */
async function observeSubagent(tx: Tx, looked: Looked, call: Call): Promise<Decision> {
  const window = await findWindow(tx, looked, call)
  if (window === undefined) return ALLOW
  call.context.store.volatile.add(window.session.id, { lastHeartbeat: call.now })
  const held = await heldInScope(tx, looked, call)
  if (held !== undefined) return held
  const { decision } = await decide(tx, looked, window, call)
  if (window.watch.hasScopes === true) await tellScopes(tx, looked, window.session, call)
  const own = decision.kind === 'block' ? undefined : await observeScope(tx, looked, window.session, call)
  return own ?? { ...decision, contexts: [] }
}

/** The refusal of a stop by the plan of the sub-agent itself; then nothing of it has ended. */
async function heldInScope(tx: Tx, looked: Looked, call: Call): Promise<Decision | undefined> {
  const event = stopInScope(looked.event)
  if (looked.scope === undefined || event === undefined) return undefined
  const stopped = { ...looked.scope, event }
  const window = await findWindow(tx, stopped, call)
  if (window === undefined) return undefined
  const { decision } = await decide(tx, stopped, window, call)
  return decision.kind === 'block' ? decision : undefined
}

/** Clients report a sub-agent to the main thread only, so scopes hear of its end and of what it read here. */
async function tellScopes(tx: Tx, looked: Looked, parent: Session, call: Call): Promise<void> {
  const { event } = looked
  const isRead = event.kind === 'tool.after' && looked.reads.length > 0
  if (!isRead && event.kind !== 'subagent.stopped' && event.kind !== 'turn.failed') return
  for (const row of await delegatingScopesOf(tx, { scope_of: parent.native_id ?? '' })) {
    const heard = { ...looked, event: { ...event, session: row.native_id ?? undefined } }
    const ended = { session: toSession(row), watch: { heartbeat: undefined, wantsEffort: false } }
    await decide(tx, heard, (await findWindow(tx, heard, call)) ?? ended, call)
  }
}

async function observeScope(
  tx: Tx,
  looked: Looked,
  parent: Session,
  call: Call,
): Promise<Decision | undefined> {
  const own = looked.scope === undefined ? undefined : await scopedIn(tx, looked.scope, parent, call)
  if (own === undefined) return undefined
  // The parent's window says whether it has scopes.
  call.context.store.volatile.openWindows.invalidate(parent.id)
  if (own.event.kind === 'session.ended') await beforeScopeEnds(tx, { looked, own }, call)
  const decision = await observeOwn(tx, own, call, parent)
  // Later, the event itself shows no call.
  if (looked.event.kind === 'subagent.started' && own.run !== undefined)
    await keepRun(tx, own.run, own.event.session, call)
  return decision
}

interface Decided {
  readonly decision: Decision
  readonly session: Session
}

async function decide(tx: Tx, looked: Looked, window: Window, call: Call): Promise<Decided> {
  const { event, digests, unwritten } = looked
  const { session } = window
  const rules = woken(call.context.rules, looked, window)
  if (rules.length === 0 && !isTurn(event)) return { decision: ALLOW, session }
  const { volatile } = call.context.store
  // The traces of a session are read from the store.
  if (event.kind === 'compact.before' || event.kind === 'session.ended')
    await flushSession(tx, volatile, session.id)
  const scene = await Scene.open(tx, { looked, window }, call)
  // A sub-agent that stops has its own end.
  if (event.kind === 'session.ended' && session.scope_of === null)
    await finishCarriedOut(tx, { session, project: scene.project, digests, unwritten }, call)
  // Before the rules, so that a new session hears of the work of killed ones.
  if (event.kind === 'session.started')
    await endOrphans(tx, event, { projectId: scene.project.id, since: undefined }, call)
  const judged = await judgeIn(tx, scene, scene.switchedOn(rules), call)
  if (event.kind === 'session.ended') {
    await endScopes(tx, judged.session, call)
    await closeSession(tx, judged.session, 'finished', call)
  }
  return scene.isPaused ? { decision: ALLOW, session: judged.session } : judged
}

async function judgeIn(tx: Tx, scene: Scene, rules: readonly Rule[], call: Call): Promise<Decided> {
  const { looked, window, project } = scene
  const { event, digests, tasks } = looked
  const judged = judge(event, await scene.factsFor(rules), rules)
  const { tellsStanding, tellsChain } = judged
  let { decision } = judged
  // A refused call starts no sub-agent, asks nothing and carries no reminder.
  const changes = judged.changes.filter(({ kind }) => !ONLY_PASSED.has(kind) || decision.kind !== 'block')
  const at = { session: window.session, projectId: project.id, digests, tasks }
  await endFormer(tx, scene, changes, call)
  const now = await apply(tx, changes, at, call)
  // A write includes the pending activity, so that a crash loses less.
  if (changes.length > 0) await flushSession(tx, scene.volatile, window.session.id)
  if (event.kind === 'session.started')
    await endOrphans(tx, event, { projectId: project.id, since: scene.since }, call)
  if (tellsChain !== undefined) decision = await withChain(tx, decision, tellsChain, now)
  const work = tellsStanding ? await workOf(tx, { session: now, project, digests }) : undefined
  if (work === undefined) return { decision, session: now }
  return {
    decision: {
      ...decision,
      contexts: [...decision.contexts, ...(await toldOfWork(tx, scene, { work, session: now }))],
    },
    session: now,
  }
}

const ONLY_PASSED: ReadonlySet<Change['kind']> = new Set<Change['kind']>([
  'asked',
  'skill.forked',
  'heartbeat.reminded',
])

/** Ends those that had an effort which is taken up, also a client that runs, so that they do not share it. */
async function endFormer(tx: Tx, scene: Scene, changes: readonly Change[], call: Call): Promise<void> {
  const { session } = scene.window
  const { native_id, agent_id } = askerOf(session)
  const taken = changes.flatMap((one) =>
    one.kind === 'span.opened' && one.effort.kind === 'resume' ? [one.effort.id] : [],
  )
  if (taken.length > 0)
    await endOrphans(tx, scene.looked.event, { projectId: scene.project.id, since: scene.since }, call)
  for (const effortId of taken)
    if (effortId !== session.effort_id) await endOthers(tx, { effortId, native_id, agent_id }, call)
}
