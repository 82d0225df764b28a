import type { HookEvent, ToolAction } from '../model/event.ts'
import { tellsOfItself } from '../model/shell/repair.ts'
import type { Session } from '../model/session.ts'
import { remindAt, type Watch } from '../model/watch.ts'
import { rule } from './rule.ts'
import { noLogEntry } from './told/words.ts'

/** Reminds an agent that writes no log, then refuses its calls; sub-agents do not count. */
export const heartbeat = rule({
  name: 'heartbeat',
  summary: 'reminds after 3 tool calls with no log entry and refuses after 10, if the skill asks for it',
  on: ['tool.before'],
  wakes: ({ event }, { session, watch }) => isHeartbeatDue(event, session, watch),
  needs: ['work'],
  judge(event, { session, watch, work }) {
    if (watch.heartbeat === undefined || !isHeartbeatDue(event, session, watch)) return undefined
    const { heartbeat_counter: calls } = session
    const silence = noLogEntry(calls)
    const action = `holdfast log "what was done and what comes next" --effort ${session.effort_id}`
    if (calls < watch.heartbeat)
      return {
        contexts: [
          `${silence}; after ${watch.heartbeat}, calls are refused. When you have progress to report, run: ${action}`,
        ],
        changes: [{ kind: 'heartbeat.reminded', effort: session.effort_id }],
      }
    const reason = `${silence}; this effort requires one every ${watch.heartbeat} calls. Next: run ${action}`
    return { block: { reason, skill: work?.name ?? '', effort: session.effort_id } }
  },
})

/** Due until the agent is reminded, and from the limit on; a call that writes the log always passes. */
const isHeartbeatDue = (
  event: HookEvent,
  { heartbeat_counter: calls }: Session,
  { heartbeat: limit, isReminded = false }: Watch,
): boolean =>
  event.kind === 'tool.before' &&
  limit !== undefined &&
  (calls >= limit || (calls >= remindAt(limit) && !isReminded)) &&
  !isAside(event.tool.does)

const isAside = (does: ToolAction): boolean =>
  does.kind === 'todos' || (does.kind === 'command' && tellsOfItself(does.command))
