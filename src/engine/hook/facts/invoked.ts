import { toSkill } from '../../../store/skill.ts'
import { skillCalled } from '../../skill/called.ts'
import { skillFacts } from '../session-skill.ts'
import type { NeededFacts } from '../../../rules/facts.ts'
import type { Loader } from './loader.ts'

/** The skills that the event calls. */
export const invoked: Loader<'invoked'> = {
  looks: ['place', 'records'],
  async load(tx, scene) {
    const found: NeededFacts['invoked'][number][] = []
    for (const invocation of scene.looked.invocations) {
      const row = await skillCalled(tx, {
        workplace_id: scene.project.workplace_id,
        name: invocation.name,
      })
      if (row === undefined) continue
      found.push({ ...invocation, skill: await skillFacts(tx, toSkill(row), scene) })
    }
    return found
  },
}
