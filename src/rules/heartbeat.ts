import type { HookEvent, ToolAction } from '../model/event.ts'
import { tellsOfItself } from '../model/shell/repair.ts'
import type { Session } from '../model/session.ts'
import { remindAt, type Watch } from '../model/watch.ts'
import { rule } from './rule.ts'

/** Whoever works long without a word in the log is reminded, then stopped; sub-agents are not counted. */
export const heartbeat = rule({
  name: 'heartbeat',
  summary:
    'reminds after 3 tool calls without a log entry, and refuses after 10, where the effort asks for it',
  on: ['tool.before'],
  wakes: ({ event }, { session, watch }) => isHeartbeatDue(event, session, watch),
  needs: ['work'],
  judge(event, { session, watch, work }) {
    if (watch.heartbeat === undefined || !isHeartbeatDue(event, session, watch)) return undefined
    const { heartbeat_counter: calls } = session
    const many = `${calls} tool ${calls === 1 ? 'call' : 'calls'}`
    const action = `holdfast log "what was done and what comes next" --effort ${session.effort_id}`
    if (calls < watch.heartbeat)
      return {
        contexts: [
          `${many} without a word in the log, and after ${watch.heartbeat} they are refused. When there is something to tell, run: ${action}`,
        ],
      }
    const reason = `${many} without a word in the log; this effort asks for one every ${watch.heartbeat}. First run: ${action}`
    return { block: { reason, skill: work?.name ?? '', effort: session.effort_id } }
  },
})

/** At the reminder, and at and after the limit; what writes the log itself is never held up. */
const isHeartbeatDue = (
  event: HookEvent,
  { heartbeat_counter: calls }: Session,
  { heartbeat: limit }: Watch,
): boolean =>
  event.kind === 'tool.before' &&
  limit !== undefined &&
  (calls === remindAt(limit) || calls >= limit) &&
  !isAside(event.tool.does)

const isAside = (does: ToolAction): boolean =>
  does.kind === 'todos' || (does.kind === 'command' && tellsOfItself(does.command))
