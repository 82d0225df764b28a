import { defaultClient } from '../../clients/index.ts'
import { shellWord } from '../../model/shell/word.ts'
import { knownTargets, leadingOut, type Target } from './folders.ts'
import { type Installed, install, look, type Wanted } from './install.ts'
import { tidy } from './put.ts'
import { installedAt } from './remove.ts'
import { shippedSkills } from './shipped.ts'
import { namesOf } from './tell.ts'

/** The skills that are installed at the scope of a target, as they stand, with all that they need. */
export function lookAtInstalled(target: Target): readonly Wanted[] {
  const known = new Set(shippedSkills().map(({ name }) => name))
  return look(
    target,
    installedAt(target).filter((name) => known.has(name)),
  )
}

/** Every place with installed skills: those that this home knows, the user's and the project's. Links are left out. */
export function allTargets(own: Target): readonly Target[] {
  const all = [own, ...knownTargets(own.home)].flatMap((one): readonly Target[] =>
    one.scope === 'user'
      ? [one]
      : [
          { ...one, scope: 'project' },
          { ...one, scope: 'local' },
        ],
  )
  const inside = all.filter((one) => leadingOut(one).length === 0)
  return [...new Map(inside.map((one) => [`${one.scope} ${one.skills}`, one])).values()]
}

/** Where `init` brings skills up to date: what only this user has, and the project that it is called for. */
const ownTargets = (own: Target): readonly Target[] =>
  allTargets(own).filter(
    ({ scope, project }) => scope !== 'project' || (own.scope !== 'user' && project === own.project),
  )

/** What `init` does with a skill or an agent of ours. */
export interface Update extends Pick<Installed, 'kind' | 'name' | 'place'> {
  readonly done: 'updated' | 'left'
  /** The command that overwrites what was left because somebody has changed it. */
  readonly next: string | null
}

/** Brings what nobody has changed up to date, and tells it with what was left; a dry run only tells it. */
export function updateInstalled(own: Target, isDry: boolean): readonly Update[] {
  return ownTargets(own).flatMap((target) => {
    if (!isDry) tidy(target.skills)
    const there = lookAtInstalled(target).filter(({ kind, for: by }) => kind === 'agent' || by.length === 0)
    if (!isDry) install(target, there, { replaces: false })
    return there.flatMap(({ kind, name, place, standing: { state }, for: by }): readonly Update[] => {
      if (state === 'older' || state === 'missing')
        return [{ kind, name, place, done: 'updated', next: null }]
      const next = installCommand(target, by[0] ?? name, '--replace')
      return state === 'changed' ? [{ kind, name, place, done: 'left', next }] : []
    })
  })
}

/** The command that installs a skill where a target is. */
export const installCommand = (
  { client, scope, project }: Target,
  name: string,
  ...more: readonly string[]
) =>
  [
    `holdfast skill install ${shellWord(name)}`,
    ...(scope === 'user' ? [] : [`--scope ${scope} --project ${shellWord(project)}`]),
    ...(client === defaultClient ? [] : [`--client ${client.name}`]),
    ...more,
  ].join(' ')

const updated = (updates: readonly Update[]) => updates.filter(({ done }) => done === 'updated')

/** What will be brought up to date, in one sentence. */
export const updatesPlan = (updates: readonly Update[]): readonly string[] =>
  updated(updates).length === 0
    ? []
    : [`Installed skills and agents to bring up to date: ${namesOf(updated(updates))}.`]

export const tellUpdates = (updates: readonly Update[]): readonly string[] => [
  ...(updated(updates).length === 0 ? [] : [`Brought up to date: ${namesOf(updated(updates))}.`]),
  ...updates.flatMap(({ name, next }) =>
    next === null ? [] : [`${name} changed since it was installed, so it was left: ${next}`],
  ),
]
