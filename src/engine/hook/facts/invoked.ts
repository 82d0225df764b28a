import { startsEffort } from '../../../model/effort.ts'
import { callInModes } from '../../../model/invocation.ts'
import { modesOf } from '../../../model/own-words.ts'
import type { Skill } from '../../../model/skill.ts'
import type { NeededFacts } from '../../../rules/facts.ts'
import type { Tx } from '../../../store/query.ts'
import { levelInForce } from '../../../store/setting.ts'
import { toSkill } from '../../../store/skill.ts'
import { aboutSkill } from '../../effort/skill-facts.ts'
import { skillCalled } from '../../skill/called.ts'
import { skillAtStart } from '../../skill/plan-edits.ts'
import type { Scene } from '../scene.ts'
import { skillFacts } from '../session-skill.ts'
import type { Loader } from './loader.ts'

/** The skills that the event calls. */
export const invoked: Loader<'invoked'> = {
  looks: ['place', 'records'],
  async load(tx, scene) {
    const found: NeededFacts['invoked'][number][] = []
    const { looked, project, context } = scene
    const modes = looked.invocations.length === 0 ? [] : modesOf(context.config(project.root))
    for (const invocation of await ownPartOf(scene)) {
      const row = await skillCalled(tx, {
        workplace_id: project.workplace_id,
        name: invocation.name,
      })
      if (row === undefined) continue
      const skill = await begun(tx, toSkill(row), scene)
      found.push({ ...callInModes(invocation, modes), skill: await skillFacts(tx, skill, scene) })
    }
    return found
  },
}

/** Of a chain, only the first skill is called, with its own words. */
async function ownPartOf(scene: Scene): Promise<Scene['looked']['invocations']> {
  const { invocations } = scene.looked
  const [first] = invocations
  const asked = first === undefined ? undefined : await scene.fact('asked')
  const own = asked?.isExplicit === false ? asked.frames[0] : undefined
  if (first === undefined || own === undefined) return invocations
  return [{ name: first.name, quick: first.quick, args: first.quick ? own.args.slice(1).trim() : own.args }]
}

/** A plan that only guides now may have been one that refuses, before an edit that waits. */
const begun = async (tx: Tx, skill: Skill, { project, isPaused }: Scene): Promise<Skill> =>
  startsEffort(aboutSkill(skill))
    ? skill
    : await skillAtStart(tx, skill, await levelInForce(tx, project.level, isPaused))
