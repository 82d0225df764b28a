import type { TouchedSkill } from '../../../rules/facts.ts'
import { isCall, stepsHandedOver } from '../../../rules/subagent-steps.ts'
import { skillNamed } from '../session-skill.ts'
import type { Loader } from './loader.ts'
import { seenOf } from './touched.ts'

/** Steps that a call delegates to a sub-agent. */
export const delegated: Loader<'delegated'> = {
  looks: ['records', 'shown'],
  async load(tx, scene) {
    const { event } = scene.looked
    if (!isCall(event)) return undefined
    const spans = await scene.fact('spans')
    const inCharge = spans.find(({ status }) => status === 'active')?.skill
    const found: TouchedSkill[] = []
    for (const name of new Set(spans.map(({ skill }) => skill))) {
      const skill = await skillNamed(tx, name, scene)
      if (skill !== undefined) found.push(...stepsHandedOver(skill, event, name === inCharge))
    }
    return found.map((one) => ({ ...one, seen: seenOf(one, scene) }))
  },
}
