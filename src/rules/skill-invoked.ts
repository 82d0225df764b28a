import { isTracked } from '../model/effort.ts'
import { rule } from './rule.ts'
import { takeCharge } from './spans.ts'

/** Opens the span at the call itself, so that the gate guards the first read too. */
export const skillInvoked = rule({
  name: 'skill-invoked',
  summary: 'opens the span of a skill that is called, and tells what its plan asks for',
  on: ['prompt.submitted', 'prompt.expanded', 'tool.before'],
  wakes: ({ invocations }) => invocations.length > 0,
  needs: ['invoked', 'spans'],
  judge(_, { invoked, spans }) {
    // Of several that are stacked the first is in charge; the others are called by it.
    const [call] = invoked
    if (call === undefined) return undefined
    const { skill, args, quick } = call
    const changes = takeCharge(spans, skill, { args, quick, asked: true })
    const isNews = changes.some(({ kind }) => kind === 'span.opened' || kind === 'span.resumed')
    return { changes, tellsStanding: isNews && isTracked(skill) }
  },
})
