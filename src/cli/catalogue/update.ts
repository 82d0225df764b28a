import { knownTargets, type Target } from './folders.ts'
import { type Installed, install, look, type Wanted } from './install.ts'
import { tidy } from './put.ts'
import { installedAt } from './remove.ts'
import { shippedSkills } from './shipped.ts'

/** The skills that are installed in the folders of a target, as they stand, with the agents that they need. */
export function lookAtInstalled(target: Target): readonly Wanted[] {
  const known = new Set(shippedSkills().map(({ name }) => name))
  return look(
    target,
    installedAt(target).filter((name) => known.has(name)),
  )
}

/** The folders of a user and of a project, once per scope. */
const scopesOf = (target: Target): readonly Target[] =>
  target.scope === 'user' ? [target] : (['project', 'local'] as const).map((scope) => ({ ...target, scope }))

/** Every folder with installed skills that this home knows, and the named one. */
export const allTargets = (own: Target): readonly Target[] => {
  const known = [own, ...knownTargets(own.home)].flatMap(scopesOf)
  return [...new Map(known.map((one) => [`${one.scope} ${one.skills}`, one])).values()]
}

/** Brings what nobody has changed up to date, and tells it with what was left. */
export function updateInstalled(target: Target): readonly Installed[] {
  return scopesOf(target).flatMap((one) => {
    tidy(one.skills)
    const wanted = lookAtInstalled(one).filter(({ kind, for: by }) => kind === 'agent' || by.length === 0)
    return install(one, wanted, { replaces: false }).filter(({ done }) => done !== 'current')
  })
}
