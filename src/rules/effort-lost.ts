import { rule } from './rule.ts'
import { agentBusy, effortLost } from './told/words.ts'

/** A session whose effort was taken over is no longer gated by its plan, so it must know. */
export const effortLostRule = rule({
  name: 'effort-lost',
  summary: 'tells a session that another one has its effort now, and how to get it back',
  on: ['session.started', 'prompt.submitted', 'tool.before'],
  wakes: ({ event }, { session }) => event.kind === 'session.started' || session.lost_efforts.length > 0,
  needs: ['lost', 'namesake', 'spans'],
  judge({ kind }, { session, lost, namesake, spans }) {
    const lines = [
      ...lost.map(({ effort, by, command }) => effortLost(effort.id, effort.skill, { by, command })),
      ...(namesake === undefined || kind !== 'session.started' ? [] : [agentBusy(namesake)]),
    ]
    const gone = spans.filter((span) => lost.some(({ effort }) => effort.id === span.effort_id))
    return {
      contexts: lines,
      changes: [
        ...gone.map(({ span_id: span }) => ({ kind: 'span.completed', span }) as const),
        ...(session.lost_efforts.length > 0 ? [{ kind: 'losses.told' } as const] : []),
      ],
      ...(lines.length > 0 && { notice: lines.join('\n') }),
    }
  },
})
