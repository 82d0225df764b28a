import type { Agent } from '../../model/agent.ts'
import type { Effort } from '../../model/effort.ts'
import { type Session, silenceOf } from '../../model/session.ts'
import { statusText } from '../../model/status-line.ts'
import { Client } from '../client.ts'
import type { Command } from '../command.ts'
import { ago, printResult, table } from '../print.ts'

type AgentAtWork = Agent & { readonly effort: Effort | null }

export const fleet: Command = {
  name: 'fleet',
  summary: 'Which agents there are, what each is doing, and which have gone silent.',
  usage: '',
  flags: {},
  async run(io) {
    using client = new Client(io)
    const [agents, sessions] = (await client.callAll([
      { method: 'db.agents.list' },
      { method: 'db.session.find', params: { open: true, limit: 1000 } },
    ])) as [readonly AgentAtWork[], readonly Session[]]
    const rows = agents.map((agent) =>
      toRow(agent, sessions, { now: Date.now(), staleAfter: client.launch.home.staleAfterSeconds }),
    )
    printResult(io, rows, () =>
      rows.length === 0
        ? 'No agent is registered. Register one with: holdfast agent register ID'
        : table(io, rows),
    )
    return 0
  },
}

/** One agent on one line. */
export function toRow(
  agent: AgentAtWork,
  sessions: readonly Session[],
  { now, staleAfter }: { now: number; staleAfter: number },
) {
  const session =
    sessions.find((one) => one.effort_id === agent.effort_id) ??
    sessions.find((one) => one.agent_id === agent.id)
  const silent = session === undefined ? undefined : silenceOf(session, now)
  const state =
    agent.effort === null
      ? 'idle'
      : silent === undefined
        ? 'no session'
        : silent > staleAfter * 1000
          ? 'silent'
          : 'working'
  return {
    agent: agent.id,
    label: agent.label,
    state,
    effort: agent.effort === null ? null : statusText(agent.effort),
    phase: agent.effort?.current_phase ?? null,
    task: agent.effort?.task_id ?? null,
    session: session?.id ?? null,
    calls: session?.heartbeat_counter ?? null,
    context:
      session?.context_usage === null || session === undefined
        ? null
        : `${Math.round(session.context_usage * 100)} %`,
    last_seen: silent === undefined ? null : `${ago(silent)} ago`,
  }
}
