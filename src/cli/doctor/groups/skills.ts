import { shellWord } from '../../../model/shell/word.ts'
import type { Group, Problem } from '../check.ts'
import type { Scene } from '../scene.ts'

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
  ],
}

async function untrusted({ io }: Scene): Promise<readonly Problem[]> {
  const [{ readSkills }, { distrustIn }] = await Promise.all([
    import('../../skill/read.ts'),
    import('../../skill/report.ts'),
  ])
  const found = await readSkills({ ...io, note: () => undefined }, { path: '.', runs: false, all: true })
  return found.parsed.flatMap((one) => {
    const why = distrustIn(one, found)
    const { id } = one.definition
    if (why === undefined) return []
    const detail = `${id}: its workflow is not in force, because its code ${why === 'changed' ? 'has changed since it was trusted' : 'is not trusted'}`
    return [{ detail, fix: `holdfast skill trust ${shellWord(id)}` }]
  })
}
