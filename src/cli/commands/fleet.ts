import type { AtWork } from '../../engine/effort/at-work.ts'
import type { Agent } from '../../model/agent.ts'
import type { Effort } from '../../model/effort.ts'
import { type Session, silenceOf } from '../../model/session.ts'
import { statusText } from '../../model/status-line.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import { ago, printResult, table } from '../frame/print.ts'

type AgentAtWork = Pick<Agent, 'id' | 'label'> & {
  readonly effort: (Effort & Partial<Pick<AtWork, 'status' | 'position'>>) | null
}

interface Entry {
  /** Nothing for a session that works for no agent. */
  readonly agent: Agent | null
  readonly effort: AtWork | null
  readonly session: Session | null
}

export const fleet: Command = {
  name: 'fleet',
  summary: 'Who is doing what, agents and sessions without one, and who has gone silent.',
  usage: '',
  flags: {},
  async run(io) {
    using remote = new Remote(io)
    const entries = await remote.call<readonly Entry[]>('fleet.list')
    const moment = { now: Date.now(), staleAfter: remote.launch.home.staleAfterSeconds }
    const rows = entries.map((entry) => toRow(whoOf(entry), entry.session ?? undefined, moment))
    printResult(io, rows, () =>
      rows.length === 0
        ? 'Nobody is at work. Register an agent with: holdfast agent register ID'
        : table(io, rows),
    )
    return 0
  },
}

/** Who works for no agent is called by its client. */
function whoOf({ agent, effort, session }: Entry): AgentAtWork {
  if (agent !== null) return { ...agent, effort }
  const native = session?.native_id == null ? '' : ` ${session.native_id.slice(0, 8)}`
  return { id: `(${session?.client ?? 'session'}${native})`, label: null, effort }
}

/** One agent on one line. */
export function toRow(
  agent: AgentAtWork,
  session: Session | undefined,
  { now, staleAfter }: { now: number; staleAfter: number },
) {
  const { effort } = agent
  const silent = session === undefined ? undefined : silenceOf(session, now)
  const state =
    silent === undefined
      ? effort === null
        ? 'idle'
        : 'no session'
      : silent > staleAfter * 1000
        ? 'silent'
        : 'working'
  return {
    agent: agent.id,
    label: agent.label,
    state,
    effort: effort === null ? null : (effort.status ?? statusText(effort)),
    phase: effort === null ? null : (effort.position ?? effort.current_phase),
    task: effort?.task_id ?? session?.task_id ?? null,
    session: session?.id ?? null,
    calls: session?.heartbeat_counter ?? null,
    context:
      session?.context_usage === null || session === undefined
        ? null
        : `${Math.round(session.context_usage * 100)} %`,
    last_seen: silent === undefined ? null : `${ago(silent)} ago`,
  }
}
