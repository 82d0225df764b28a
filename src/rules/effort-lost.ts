import { rule } from './rule.ts'
import { agentBusy, effortGiven, effortLost } from './told/words.ts'

/** A session whose effort was taken over is no longer gated by its plan, so it must know. */
export const effortLostRule = rule({
  name: 'effort-lost',
  summary: 'tells a session that another one has its effort now, or that the user gave it one',
  on: ['session.started', 'prompt.submitted', 'tool.before'],
  wakes: ({ event }, { session }) => event.kind === 'session.started' || session.lost_efforts.length > 0,
  needs: ['lost', 'namesake', 'spans', 'work'],
  judge({ kind }, { session, lost, namesake, spans, work }) {
    // A start tells of it with the work itself.
    const given =
      kind !== 'session.started' && session.lost_efforts.includes(session.effort_id) ? work : undefined
    const lines = [
      ...lost.map(({ effort, by, command }) => effortLost(effort.id, effort.skill, { by, command })),
      ...(given === undefined ? [] : [effortGiven(given.effort.id, given.name)]),
      ...(namesake === undefined || kind !== 'session.started' ? [] : [agentBusy(namesake)]),
    ]
    const gone = spans.filter((span) => lost.some(({ effort }) => effort.id === span.effort_id))
    return {
      contexts: lines,
      ...(given !== undefined && { tellsStanding: true }),
      changes: [
        ...gone.map(({ span_id: span }) => ({ kind: 'span.completed', span }) as const),
        ...(session.lost_efforts.length > 0 ? [{ kind: 'losses.told' } as const] : []),
      ],
      ...(lines.length > 0 && { notice: lines.join('\n') }),
    }
  },
})
