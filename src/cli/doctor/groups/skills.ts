import { shellWord } from '../../../model/shell/word.ts'
import { listed } from '../../../model/text/line.ts'
import { clients } from '../../../clients/index.ts'
import { SCOPES } from '../../../model/client-settings.ts'
import type { Target } from '../../catalogue/folders.ts'
import type { Wanted } from '../../catalogue/install.ts'
import { projectFolder } from '../../install/place.ts'
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
      code: 'skill-missing',
      severity: 'warning',
      finds: 'a file, a skill or an agent is missing that an installed skill of Holdfast needs',
      mends: 'holdfast skill install NAME',
      look: async (scene) => [...(await shelvedIn(scene)), ...(await installed(scene, missingOf))],
    },
    {
      code: 'skill-changed',
      severity: 'warning',
      finds: 'an installed skill or agent of Holdfast was changed, so `init` leaves it as it is',
      mends: 'holdfast skill install NAME --replace',
      look: (scene) => installed(scene, changedOf),
    },
    {
      code: 'skill-older',
      severity: 'warning',
      finds:
        'an installed skill or agent is of an older version of Holdfast, which does not vouch for it any more',
      mends: 'holdfast skill install NAME',
      look: (scene) => installed(scene, olderOf),
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

type Look = (wanted: Wanted, target: Target) => string | undefined

/** Where skills may be installed for the user, and in the project here. */
async function targetsIn({ io, home }: Scene): Promise<readonly Target[]> {
  const { targetOf } = await import('../../catalogue/folders.ts')
  const project = projectFolder(io, {})
  return [...clients.values()].flatMap((client) =>
    SCOPES.map((scope) => targetOf({ home, client, scope, project })),
  )
}

/** A command that was killed may have left a skill where no client looks. */
async function shelvedIn(scene: Scene): Promise<readonly Problem[]> {
  const { shelved } = await import('../../catalogue/put.ts')
  const { installCommand } = await import('../../catalogue/update.ts')
  const ofScope = (await targetsIn(scene)).filter(({ scope }) => scope !== 'local')
  return ofScope.flatMap((target) =>
    shelved(target.skills).map((name) => ({
      detail: `${name} was being replaced when a command was killed, and is not in ${target.skills}`,
      fix: installCommand(target, name),
    })),
  )
}

async function installed(scene: Scene, says: Look): Promise<readonly Problem[]> {
  const { lookAtInstalled, installCommand } = await import('../../catalogue/update.ts')
  return (await targetsIn(scene)).flatMap((target) =>
    lookAtInstalled(target).flatMap((wanted) => {
      const detail = says(wanted, target)
      const more = wanted.standing.state === 'changed' ? ['--replace'] : []
      return detail === undefined
        ? []
        : [{ detail, fix: installCommand(target, wanted.for[0] ?? wanted.name, ...more) }]
    }),
  )
}

const missingOf: Look = ({ name, place, standing: { state, gone }, for: by }) =>
  state === 'missing'
    ? `${name} is missing, which ${listed(by, ROOM)} may need: ${place}`
    : gone.length > 0
      ? `${name} has no ${listed(gone, ROOM)} any more: ${place}`
      : undefined

const changedOf: Look = ({ name, place, standing: { state, changed } }) =>
  state === 'changed'
    ? `${name} was changed since it was installed (${listed(changed, ROOM)}): ${place}`
    : undefined

const olderOf: Look = ({ name, place, standing: { state, gone } }) =>
  state === 'older' && gone.length === 0
    ? `${name} is not as in this version of Holdfast: ${place}`
    : undefined

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
