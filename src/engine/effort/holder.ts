import { timestamp } from '../../model/clock.ts'
import { type Effort, forcedCommand, isUnfinished, resumeCommand } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import { isTerminal, type Session, silenceOf } from '../../model/session.ts'
import { shellWord } from '../../model/shell/word.ts'
import { relativeTime } from '../../model/text/time.ts'
import { showCommand } from '../../model/plan/next-action.ts'
import { findOwner } from '../../store/agent.ts'
import type { Tx } from '../../store/query.ts'
import { otherWindowsOf } from '../../store/holder.ts'
import {
  findLastByNative,
  findOpenOfAgent,
  findSession,
  newestOpenOfAgent,
  type SessionRow,
  toSession,
} from '../../store/session.ts'
import type { Context } from '../call/context.ts'
import { activeEffort } from './ownership.ts'
import { lenderOf, threadOf } from './thread.ts'

/** The identity of a caller, as far as it is known. */
export interface Asker {
  readonly agent_id?: string | undefined
  readonly native_id?: string | undefined
}

/** A session as a caller; a terminal has none. */
export const askerOf = (session: Pick<Session, 'native_id' | 'agent_id'> | undefined): Asker => ({
  native_id: session?.native_id ?? undefined,
  agent_id: session?.agent_id ?? undefined,
})

/** Whether a caller is a client's session or an agent, not only somebody at a terminal. */
export const hasIdentity = ({ agent_id, native_id }: Asker): boolean =>
  agent_id !== undefined || native_id !== undefined

/** The agent that owns an effort, or another session that serves it. */
export type Holder =
  | {
      readonly kind: 'agent'
      readonly id: string
      /** Whether a session of the agent is live. */
      readonly isAtWork: boolean
    }
  | {
      readonly kind: 'session'
      readonly session: Session
      /** A silent session gives way to an explicit continue, never to a call that names the skill. */
      readonly isSilent: boolean
    }

/** Who has an effort: its agent, else the other session that was active last. */
export async function holderOf(
  tx: Tx,
  effort: Effort,
  asker: Asker,
  context: Context,
): Promise<Holder | undefined> {
  const owner = await findOwner(tx, { effort_id: effort.id })
  if (owner !== undefined && owner.id !== asker.agent_id) {
    const open = await findOpenOfAgent(tx, { agent_id: owner.id })
    return { kind: 'agent', id: owner.id, isAtWork: open.some((row) => !heldBy(row, context).isSilent) }
  }
  if (owner !== undefined) {
    const lender = await lenderOf(tx, asker)
    return lender === undefined ? undefined : heldBy(lender, context)
  }
  const [other] = await othersOn(tx, effort, asker, context)
  return other
}

/** The same, also if it was a silent client that counted as gone: only an explicit continue takes its effort. */
export async function holderOrSilent(
  tx: Tx,
  effort: Effort,
  asker: Asker,
  context: Context,
): Promise<Holder | undefined> {
  const holder = await holderOf(tx, effort, asker, context)
  if (holder !== undefined) return holder
  const last = await lastOther(tx, effort, asker)
  if (last?.ended_reason !== 'orphaned') return undefined
  return { kind: 'session', session: toSession(last), isSilent: true }
}

/** The open sessions of others on an effort, the last active one first. */
async function othersOn(tx: Tx, effort: Effort, asker: Asker, context: Context) {
  const now = context.clock.now()
  const rows = await otherWindowsOf(tx, { effort_id: effort.id, native_id: asker.native_id ?? '' })
  const last = await lastOther(tx, effort, asker)
  const isMissing = last?.ended_at === null && !rows.some(({ id }) => id === last.id)
  return (
    [...rows, ...(isMissing ? [last] : [])]
      .map((row) => heldBy(row, context))
      // A terminal that asks may be the same one.
      .filter(({ session }) => session.native_id !== null || hasIdentity(asker))
      .toSorted((a, b) => silenceOf(a.session, now) - silenceOf(b.session, now))
  )
}

/** A session as a holder. */
export function heldBy(row: SessionRow, { clock, store, staleAfterSeconds }: Context) {
  const session = store.volatile.overlay(toSession(row))
  const isSilent = !isTerminal(row) && silenceOf(session, clock.now()) > staleAfterSeconds * 1000
  return { kind: 'session' as const, session, isSilent }
}

/** Whether a caller with an identity would use the effort of another agent, or of another client that may come back. */
export async function isOthers(tx: Tx, effort: Effort, asker: Asker): Promise<boolean> {
  if (!hasIdentity(asker)) return false
  if (effort.agent_id !== null)
    return effort.agent_id !== asker.agent_id || (await lenderOf(tx, asker)) !== undefined
  const others = await otherWindowsOf(tx, { effort_id: effort.id, native_id: asker.native_id ?? '' })
  const isOpen = others.some(
    (row) => (row.native_id !== null || isTerminal(row)) && !isSameAgent(row.agent_id, asker),
  )
  return isOpen || (await lastOther(tx, effort, asker)) !== undefined
}

/** Locks an effort for a caller that changes it; another session or agent must give it up first. */
export async function effortToChange(
  tx: Tx,
  { effort_id, ...asker }: { readonly effort_id: number } & Asker,
  verb: string,
  context: Context,
): Promise<Effort> {
  const effort = await activeEffort(tx, effort_id, verb)
  await refuseOthers(tx, effort, asker, context)
  return effort
}

/** Refuses a caller that would change or write into the effort of another session or agent. */
export async function refuseOthers(tx: Tx, effort: Effort, given: Asker, context: Context): Promise<void> {
  const held = await whoseItIs(tx, effort, given, context)
  if (held === undefined) return
  const { message, hint } = held
  throw new EngineError('conflict', message, {
    field: 'effort_id',
    hint,
    record: {
      event_type: 'effort.refused',
      skill: effort.skill,
      effort_id: effort.id,
      payload: { reason: message },
    },
  })
}

/** Refuses somebody outside of the session that has an effort; sub-agents of it may take part. */
export async function refuseStrangers(tx: Tx, effort: Effort, asker: Asker, context: Context): Promise<void> {
  if ((await serves(tx, effort, asker)) || !(await isOthers(tx, effort, asker))) return
  await refuseOthers(tx, effort, asker, context)
}

/** Says whose an effort is, and the command that helps; undefined if the caller may change it. */
export async function whoseItIs(tx: Tx, effort: Effort, given: Asker, context: Context) {
  const { asker: thread, scope } = await threadOf(tx, given, context)
  // The name of its agent tells a session whom to take an effort from.
  const asker = scope === undefined ? given : thread
  if (!isUnfinished(effort) || (await serves(tx, effort, asker)) || !(await isOthers(tx, effort, asker)))
    return undefined
  const isOfSession = scope !== undefined && (await serves(tx, effort, given))
  const holder = await holderOrSilent(tx, effort, asker, context)
  const by = holder === undefined ? 'another session' : holderText(holder, context)
  const take = holder === undefined || scope !== undefined ? undefined : takeCommand(effort.id, holder)
  const more = scope === undefined ? '' : ` The effort of this sub-agent is ${scope.effort_id}.`
  const message = `Effort ${effort.id} belongs to ${isOfSession ? 'another thread of this session' : by}.${take === undefined ? more : ' Take it over only if the user asks for it.'}`
  const hint = take ?? (scope === undefined ? 'holdfast status' : showCommand(scope.effort_id))
  return { message, hint }
}

/** Whether the caller's session, or a sub-agent of it, has the effort open; both have the same shell. */
async function serves(tx: Tx, { id }: Effort, { native_id }: Asker): Promise<boolean> {
  if (native_id === undefined) return false
  const windows = await otherWindowsOf(tx, { effort_id: id, native_id: '' })
  return windows.some((window) => window.native_id === native_id || window.scope_of === native_id)
}

/** The other session that has an effort since it began or continued it, also while it serves another one. */
async function lastOther(tx: Tx, effort: Effort, asker: Asker) {
  const last = await lastWindow(tx, effort)
  if (last === undefined || (last.ended_at !== null && last.ended_reason !== 'orphaned')) return undefined
  // A terminal that asks may be the same one.
  if (isTerminal(last) && !hasIdentity(asker)) return undefined
  const isOwn = asker.native_id !== undefined && [last.native_id, last.scope_of].includes(asker.native_id)
  // An agent that lost its client continues its own work.
  return isOwn || isSameAgent(last.agent_id, asker) ? undefined : last
}

/** The last window, open or ended, of the client or agent that began or continued an effort last. */
export async function lastWindow(tx: Tx, { last_session_id: id }: Pick<Effort, 'last_session_id'>) {
  const row = id === null ? undefined : await findSession(tx, { id })
  if (row === undefined) return undefined
  const { native_id, agent_id } = row
  if (native_id !== null) return await findLastByNative(tx, { native_id })
  return agent_id === null ? row : ((await newestOpenOfAgent(tx, { agent_id })) ?? row)
}

/** Whether the caller is this agent. */
const isSameAgent = (agent: string | null, { agent_id }: Asker): boolean =>
  agent !== null && agent === agent_id

/** Names the holder; for a session also its last activity and when it becomes stale. */
export function holderText(holder: Holder, { clock, staleAfterSeconds }: Context): string {
  if (holder.kind === 'agent') return `agent ${holder.id}`
  const { session, isSilent } = holder
  const now = clock.now()
  const heard = now - silenceOf(session, now)
  const gone = heard + staleAfterSeconds * 1000
  const name =
    session.native_id === null ? 'a terminal' : `${session.client ?? 'a client'} ${session.native_id}`
  const free =
    isSilent || isTerminal(session) ? '' : `, free ${relativeTime(timestamp(gone), now)} if it stays silent`
  return `session ${session.id} (${name}, last active ${relativeTime(timestamp(heard), now)}${free})`
}

/** The command that takes an effort over from its holder; an agent's effort cannot be taken. */
export const takeCommand = (effortId: number, holder: Holder): string | undefined =>
  holder.kind === 'agent' ? undefined : takeFrom(effortId, holder)

/** The command that gives an effort back to a session that had it; an agent must release it first. */
export const backCommand = (effortId: number, holder: Holder): string =>
  holder.kind === 'agent'
    ? `${releaseCommand(holder)}${holder.isAtWork ? ' --take' : ''} && ${takeFrom(effortId, { isSilent: !holder.isAtWork })}`
    : takeFrom(effortId, holder)

/** The command that takes an effort over from any holder, for a user at a terminal. */
export const takeHere = (effortId: number, holder: Holder | undefined): string =>
  `${holder?.kind === 'agent' ? `${releaseCommand(holder)} && ` : ''}${forcedCommand({ id: effortId })}`

const takeFrom = (id: number, { isSilent }: { readonly isSilent: boolean }): string =>
  isSilent ? resumeCommand({ id }) : forcedCommand({ id })

const releaseCommand = ({ id }: { readonly id: string }): string => `holdfast agent release ${shellWord(id)}`
