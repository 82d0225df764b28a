import { rule } from './rule.ts'
import { anewBy, isForked, takeCharge } from './spans.ts'

/** Each stage of planning has its own skill. */
export const stageTrack = rule({
  name: 'stage-track',
  summary: 'records the planning stage of a called skill',
  on: ['prompt.submitted', 'prompt.expanded', 'tool.before'],
  wakes: ({ invocations }) => invocations.length > 0,
  needs: ['invoked', 'spans'],
  judge(event, { invoked: [call], spans, session }) {
    const stage = call?.skill.stage
    if (call === undefined || stage === undefined || isForked(event, call.skill, { session }))
      return undefined
    // Clients report one call several times; only the first puts the skill in charge.
    const isNews = takeCharge(spans, call.skill, { anew: anewBy(event, call) }).some(
      ({ kind }) => kind === 'span.opened' || kind === 'span.resumed',
    )
    const [about = ''] = call.args.split(/\s+/)
    return isNews ? { changes: [{ kind: 'stage.entered', skill: call.skill.name, stage, about }] } : undefined
  },
})
