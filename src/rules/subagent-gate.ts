import { isStrict } from '../model/level.ts'
import { rule } from './rule.ts'
import { refusalOf } from './step-gate.ts'
import { isHandOver } from './subagent-steps.ts'

/** A strict project holds its sub-agents to its plan, except for what they were given. */
export const subagentGate = rule({
  name: 'subagent-gate',
  summary: 'refuses a sub-agent of a strict project a step that is not due and that it was not given',
  on: ['tool.before'],
  hearsSubagents: true,
  wakes: ({ event, reads }, { watch }) =>
    event.subagent !== undefined && watch.isStrict !== false && (reads.length > 0 || isHandOver(event)),
  needs: ['touched', 'delegated', 'delegations', 'spans', 'invoked', 'given'],
  judge(_, facts) {
    if (!isStrict(facts.level)) return undefined
    for (const touched of [...facts.touched, ...(facts.delegated ?? [])]) {
      const { skill, step = '' } = touched
      const reason = skill.enforceable ? refusalOf(touched, facts) : undefined
      if (reason !== undefined)
        return { block: { reason, skill: skill.name, step, effort: skill.effort?.id } }
    }
    return undefined
  },
})
