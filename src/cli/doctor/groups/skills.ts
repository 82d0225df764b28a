import { shellWord } from '../../../model/shell/word.ts'
import { listed } from '../../../model/text/line.ts'
import type { Group, Problem } from '../check.ts'
import type { Scene } from '../scene.ts'
import { hookedIn, wiredIn } from './settings.ts'

/** Nobody notices that a workflow holds nobody. */
export const skills: Group = {
  name: 'skills',
  well: () => undefined,
  checks: [
    {
      code: 'skill-untrusted',
      severity: 'warning',
      finds:
        'a skill has a workflow module whose code is not trusted, or has changed since, so nothing holds it',
      mends: 'holdfast skill trust NAME',
      look: untrusted,
    },
    {
      code: 'skills-ask',
      severity: 'warning',
      finds: 'a pipeline calls skills, and the client asks its user before each of them',
      mends: 'holdfast init --scope SCOPE --allow-skills --yes',
      look: asking,
    },
  ],
}

async function skillsOf({ io }: Scene) {
  const { readSkills } = await import('../../skill/read.ts')
  return await readSkills({ ...io, note: () => undefined }, { path: '.', runs: false, all: true })
}

/** Where our hooks are, because only there a pipeline leads on. */
async function asking(scene: Scene): Promise<readonly Problem[]> {
  const sources = scene.sources()
  const [first] = hookedIn(sources)
  if (first === undefined || sources.some((source) => wiredIn(source).allowsSkills === true)) return []
  const { parsed } = await skillsOf(scene)
  const calling = parsed.flatMap(({ definition: { id, plan } }) =>
    plan?.steps.some(({ runs }) => runs?.kind === 'skill') === true ? [id] : [],
  )
  if (calling.length === 0) return []
  const detail = `${listed(calling, ROOM)} ${calling.length === 1 ? 'calls' : 'call'} skills, and the client asks before each call.`
  return [{ detail, fix: first.renew.replace(/ --yes$/, ' --allow-skills --yes') }]
}

const ROOM = 200

async function untrusted(scene: Scene): Promise<readonly Problem[]> {
  const { distrustIn } = await import('../../skill/report.ts')
  const found = await skillsOf(scene)
  return found.parsed.flatMap((one) => {
    const why = distrustIn(one, found)
    const { id } = one.definition
    if (why === undefined) return []
    const detail = `${id}: its workflow is not in force, because its code ${why === 'changed' ? 'has changed since it was trusted' : 'is not trusted'}`
    return [{ detail, fix: `holdfast skill trust ${shellWord(id)}` }]
  })
}
