import type { SkillFacts } from '../../../rules/facts.ts'
import { openDelegations, toDelegation } from '../../../store/delegation.ts'
import { skillNamed } from '../skill-facts.ts'
import type { Loader } from './loader.ts'

/** Steps of this session with open delegations. */
export const delegations: Loader<'delegations'> = {
  looks: ['records'],
  async load(tx, scene) {
    const rows = await openDelegations(tx, { session_id: scene.window.session.native_id ?? '' })
    const known = new Map<string, SkillFacts | undefined>()
    for (const { skill } of rows) if (!known.has(skill)) known.set(skill, await skillNamed(tx, skill, scene))
    return rows.map(toDelegation).flatMap((one) => {
      const skill = known.get(one.skill)
      return skill === undefined ? [] : [{ ...one, skill }]
    })
  },
}
