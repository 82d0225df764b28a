import { isTracked } from '../model/effort.ts'
import { rule } from './rule.ts'
import { takeCharge } from './spans.ts'

/** Opens the span at the call itself, so that the gate covers the first read too. */
export const skillInvoked = rule({
  name: 'skill-invoked',
  summary: 'opens the span of a called skill and shows what its plan requires',
  on: ['prompt.submitted', 'prompt.expanded', 'tool.before'],
  wakes: ({ invocations }) => invocations.length > 0,
  needs: ['invoked', 'spans'],
  judge(_, { invoked, spans }) {
    // The first of several stacked skills is in charge and calls the others.
    const [call] = invoked
    if (call === undefined) return undefined
    const { skill, args, quick } = call
    const changes = takeCharge(spans, skill, { args, quick, asked: true })
    const isNews = changes.some(({ kind }) => kind === 'span.opened' || kind === 'span.resumed')
    return { changes, tellsStanding: isNews && isTracked(skill) }
  },
})
