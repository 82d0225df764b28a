import type { HookEvent } from '../../model/event.ts'
import { isUnfinished, startsEffort } from '../../model/effort.ts'
import { callInModes } from '../../model/invocation.ts'
import { modesOf } from '../../model/own-words.ts'
import type { Session } from '../../model/session.ts'
import { forkOf, needsNoMore } from '../../rules/spans.ts'
import { nextFork, openDelegations, takeFork } from '../../store/delegation.ts'
import { findEffort } from '../../store/effort.ts'
import { placeOfSession } from '../../store/workplace.ts'
import type { Tx } from '../../store/query.ts'
import { findLastByNative, findOpenByNative, openScopesOf, toSession } from '../../store/session.ts'
import { toSkill } from '../../store/skill.ts'
import { openSpansOf } from '../../store/span.ts'
import type { Call } from '../call/method.ts'
import { completeSpans } from '../effort/complete-spans.ts'
import { closeEffort } from '../effort/after-move.ts'
import { aboutSkill, workOf } from '../effort/skill-facts.ts'
import { closeSession } from '../session/session-window.ts'
import { keepPlace } from '../skill/arrival.ts'
import { skillCalled } from '../skill/called.ts'
import { noteDelegation } from './delegation.ts'
import { unlooked } from './look.ts'
import type { Looked } from './looks/look.ts'
import { keepMessages } from './messages.ts'
import { noteAll } from './recorders.ts'

/** What happens in the scope of a sub-agent; undefined if it has no scope and needs none. */
export async function scopedIn(
  tx: Tx,
  own: Looked,
  parent: Session,
  call: Call,
): Promise<Looked | undefined> {
  const { event, invocations } = own
  const row = await findLastByNative(tx, { native_id: event.session ?? '' })
  const isOpen = row?.ended_at === null
  if (event.kind === 'session.started' && event.source === 'resume' && !isOpen) {
    const fork = await forkFor(tx, event, parent, call)
    if (fork !== undefined) return await forked(tx, fork, { own, parent }, call)
  }
  if (isOpen) return event.kind === 'session.started' && event.source === 'resume' ? undefined : own
  // A sub-agent that the client continues goes on with its work.
  const effort = row === undefined ? undefined : await findEffort(tx, { id: row.effort_id })
  if (effort !== undefined && isUnfinished(effort)) return own
  const isCall = event.kind === 'tool.before' && invocations.length > 0
  return isCall && (await callsTracked(tx, own, parent, call)) ? own : undefined
}

/** The skill call that a new sub-agent carries out, as its own call. */
async function forkFor(
  tx: Tx,
  event: HookEvent,
  parent: Session,
  call: Call,
): Promise<HookEvent | undefined> {
  const session_id = parent.native_id ?? ''
  const agent_id = (event.session ?? '').slice(session_id.length + 1)
  const known = await openDelegations(tx, { session_id })
  if (known.some((one) => one.agent_id === agent_id)) return undefined
  for (;;) {
    const waiting = await nextFork(tx, { session_id, prompt_id: event.promptId ?? '' })
    if (waiting === undefined) return undefined
    const { call_id, skill, request } = waiting
    const taken = await takeFork(tx, call.context.store.volatile, { session_id, call_id, skill, agent_id })
    if (taken === undefined) continue
    // A call by a tool has an id of its own, a typed one that of its prompt.
    const isTyped = call_id === event.promptId
    return { ...event, kind: 'prompt.expanded', command: skill, args: request ?? '', text: '', isTyped }
  }
}

/** The look of that call; its folder for work has a name that no other run has. */
async function forked(
  tx: Tx,
  event: HookEvent,
  { own, parent }: { readonly own: Looked; readonly parent: Session },
  call: Call,
): Promise<Looked> {
  const { place, digests, tasks } = own
  const looked = { ...unlooked(event), place, digests, tasks }
  const [invocation] = looked.invocations
  const { skill, project } = await skillOf(tx, looked, parent)
  if (invocation === undefined || project === undefined || skill?.details?.uses_skill_run !== true)
    return looked
  const { root } = project
  const asked = callInModes(invocation, modesOf(call.context.config(root)))
  return { ...looked, run: { invocation: asked, root, day: call.now, free: 1 } }
}

async function skillOf(tx: Tx, { invocations }: Looked, parent: Session) {
  const project = await placeOfSession(tx, parent)
  const name = invocations[0]?.name ?? ''
  const row =
    project === undefined ? undefined : await skillCalled(tx, { workplace_id: project.workplace_id, name })
  return { project, skill: row === undefined ? undefined : toSkill(row) }
}

/** Whether the sub-agent calls a skill that needs a scope; a skill that forks waits for yet another sub-agent. */
async function callsTracked(tx: Tx, own: Looked, parent: Session, call: Call): Promise<boolean> {
  if (own.place !== undefined) await keepPlace(tx, own.place, call)
  const { skill, project } = await skillOf(tx, own, parent)
  const [invocation] = own.invocations
  if (skill === undefined || project === undefined || invocation === undefined) return false
  const about = aboutSkill(skill)
  if (!startsEffort(about) || !about.forks) return startsEffort(about)
  const fork = forkOf(own.event, invocation, skill.name)
  await noteDelegation(tx, fork, { session: parent, projectId: project.id }, call)
  return false
}

/** Before a scope ends: keeps the last message, and finishes an effort that was carried out. */
export async function beforeScopeEnds(
  tx: Tx,
  { looked, own }: { readonly looked: Looked; readonly own: Looked },
  call: Call,
): Promise<void> {
  const { event } = looked
  const row = await findOpenByNative(tx, { native_id: own.event.session ?? '' })
  if (row === undefined || (event.kind !== 'subagent.stopped' && event.kind !== 'turn.failed')) return
  const session = toSession(row)
  const last = event.kind === 'subagent.stopped' ? ({ ...event, kind: 'turn.stopped' } as const) : event
  noteAll({ ...looked, event: last }, session.id, call)
  await keepMessages(tx, unlooked(last), session.id, call)
  if (event.kind !== 'subagent.stopped') return
  const project = await placeOfSession(tx, session)
  const { digests, unwritten } = own
  const work = project === undefined ? undefined : await workOf(tx, { session, project, digests, unwritten })
  if (work !== undefined && needsNoMore(work)) await closeEffort(tx, { effort_id: work.effort.id }, call)
}

/** The end of a client ends its sub-agents. */
export async function endScopes(tx: Tx, parent: Session, call: Call): Promise<void> {
  if (parent.native_id === null || parent.scope_of !== null) return
  for (const row of await openScopesOf(tx, { scope_of: parent.native_id })) {
    const scope = toSession(row)
    const spans = await openSpansOf(tx, { session_id: row.native_id ?? '' })
    await completeSpans(tx, spans, { window_id: row.id }, call)
    await closeSession(tx, scope, 'finished', call)
  }
}
