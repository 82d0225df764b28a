import type { AtWork } from '../../engine/effort/at-work.ts'
import type { Agent } from '../../model/agent.ts'
import type { Effort } from '../../model/effort.ts'
import { isInside } from '../../model/project.ts'
import { type Session, silenceOf } from '../../model/session.ts'
import { statusText } from '../../model/status-line.ts'
import { relativeTime } from '../../model/text/time.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import { counted } from '../../model/text/line.ts'
import { printResult } from '../frame/show.ts'
import { shortId } from '../frame/print.ts'
import { table } from '../frame/table.ts'

interface Entry {
  /** Null for a session without an agent. */
  readonly agent: Pick<Agent, 'id' | 'label'> | null
  readonly effort: (Effort & Partial<Pick<AtWork, 'status' | 'position' | 'workplace'>>) | null
  /** Absent from older daemons. */
  readonly workplace?: string | null
  readonly session: Session | null
}

export const fleet: Command = {
  name: 'fleet',
  summary: 'Show active agents and sessions, and the stalled ones.',
  usage: '',
  flags: {},
  async run(io) {
    using remote = new Remote(io)
    const entries = await remote.call<readonly Entry[]>('fleet.list')
    const moment = { now: Date.now(), staleAfter: remote.launch.home.staleAfterSeconds }
    const members = entries.map((entry) => memberOf(entry, moment))
    printResult(io, members, () =>
      members.length === 0
        ? 'No agent or session is active. Register an agent: holdfast agent register ID'
        : table(io, members.map(toRow), { short: ['task', 'works in'] }),
    )
    return 0
  },
}

/** One agent, or one session without an agent. */
export function memberOf(
  { agent, effort, session, workplace }: Entry,
  { now, staleAfter }: { readonly now: number; readonly staleAfter: number },
) {
  const silent = session === null ? undefined : silenceOf(session, now)
  const state =
    silent === undefined
      ? effort === null
        ? 'idle'
        : 'no session'
      : silent > staleAfter * 1000
        ? 'silent'
        : 'working'
  return {
    agent: agent?.id ?? null,
    label: agent?.label ?? null,
    client: session?.client ?? null,
    native_id: session?.native_id ?? null,
    state,
    effort_id: effort?.id ?? null,
    status: effort === null ? null : (effort.status ?? statusText(effort)),
    phase: effort === null ? null : (effort.position ?? effort.current_phase),
    task_id: effort?.task_id ?? session?.task_id ?? null,
    workplace: workplace ?? effort?.workplace ?? null,
    session_id: session?.id ?? null,
    calls: session?.heartbeat_counter ?? null,
    context_usage: session?.context_usage ?? null,
    last_seen: session === null ? null : (session.last_heartbeat ?? session.created_at),
  }
}

/** A member on one line; a session without an agent shows its client. */
export function toRow(member: ReturnType<typeof memberOf>) {
  const { agent, label, client, native_id: native, context_usage: usage, last_seen: seen } = member
  return {
    agent:
      agent === null
        ? `(${[client ?? 'session', shortId(native ?? '')].join(' ').trimEnd()})`
        : [agent, label].join(' ').trimEnd(),
    state: member.state,
    effort: member.status === null ? null : `${member.status} ${member.phase ?? ''}`.trimEnd(),
    task: member.task_id,
    // Most tasks lie in the checkout that their session works in.
    'works in': isInside(member.workplace ?? '', member.task_id ?? '') ? null : member.workplace,
    session:
      member.session_id === null ? null : `${member.session_id}: ${counted(member.calls ?? 0, 'call')}`,
    context: usage === null ? null : `${Math.round(usage * 100)} %`,
    seen: seen === null ? null : relativeTime(seen),
  }
}
