import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION } from '../../daemon/version.ts'
import { type Shipped, withNeeded } from '../../model/catalogue.ts'
import { EngineError } from '../../model/error.ts'
import { shellWord } from '../../model/shell/word.ts'
import { agentPlace, putAgents } from './agents.ts'
import { checkUntracked, hideLocal } from './exclude.ts'
import { noteTarget, type Target } from './folders.ts'
import { agentStanding, keptIn, skillStanding, type Standing } from './kept.ts'
import { keepCopy, putSkill } from './put.ts'
import { agentSource, shippedSkills, sourceOf } from './shipped.ts'

/** A skill or an agent that is wanted, and where it stands. */
export interface Wanted {
  readonly kind: 'skill' | 'agent'
  readonly name: string
  readonly place: string
  readonly standing: Standing
  /** The skills that brought it along; empty for one that was named. */
  readonly for: readonly string[]
}

/** What became of it. */
export interface Installed extends Pick<Wanted, 'kind' | 'name' | 'place' | 'for'> {
  readonly done: 'installed' | 'updated' | 'replaced' | 'current' | 'changed' | 'newer' | 'foreign'
  /** Where the changed files are kept, if they were replaced. */
  readonly copy: string | null
}

/** Looks at the named skills, at those that they go on to, and at the agents of all of them. */
export function look(target: Target, names: readonly string[]): readonly Wanted[] {
  const skills = withNeeded(shippedSkills(), names)
  const wanted = skills.map((one): Wanted => {
    const place = join(target.skills, one.name)
    const isNamed = names.includes(one.name)
    const by = isNamed ? [] : skills.filter(({ skills: of }) => of.includes(one.name))
    const there = skillStanding(sourceOf(one.name), place)
    const standing = isNamed ? inScope(target, place, there) : there
    return { kind: 'skill', name: one.name, place, standing, for: by.map(({ name }) => name) }
  })
  // A skill that is not ours brings its own agents.
  const ours = skills.filter((_, at) => wanted[at]?.standing.state !== 'foreign')
  const agents = [...new Set(ours.flatMap((one) => one.agents))].toSorted().map((name): Wanted => {
    const place = agentPlace(target, name)
    const by = ours.filter((one) => one.agents.includes(name)).map((one) => one.name)
    return { kind: 'agent', name, place, standing: agentStanding(agentSource(name), place), for: by }
  })
  return [...wanted, ...agents]
}

/** A skill that is to move between the scopes of a project is written anew. */
const inScope = ({ scope }: Target, place: string, standing: Standing): Standing =>
  standing.state === 'current' && keptIn(place)?.scope !== scope ? { ...standing, state: 'older' } : standing

/** Throws if a named skill is not shipped, or if somebody else has put it there. */
export function checkNamed(target: Target, wanted: readonly Wanted[]): void {
  const taken = wanted.find(
    ({ kind, standing, for: by }) => kind === 'skill' && standing.state === 'foreign' && by.length === 0,
  )
  if (taken !== undefined)
    throw new EngineError(
      'conflict',
      `${taken.place} was not installed by this command; nothing changed. Move it away first.`,
      { hint: awayWith(target, taken) },
    )
}

/** A link may be one of `skill link`, which removes no other. */
const awayWith = ({ skills }: Target, { name, place }: Wanted): string =>
  lstatSync(place).isSymbolicLink()
    ? `holdfast skill link ${name} --remove --into ${shellWord(skills)}`
    : `mv ${shellWord(place)} ${shellWord(join(skills, '..', `${name}.mine`))}`

/** What the user must say yes to, because somebody has changed it since it was installed. */
export const changedIn = (wanted: readonly Wanted[]): readonly Wanted[] =>
  wanted.filter(({ standing }) => standing.state === 'changed')

interface How {
  readonly replaces: boolean
  readonly doing?: (text: string) => void
}

/** Puts in place what is missing or older, and what was changed if the user says so. */
export function install(
  target: Target,
  wanted: readonly Wanted[],
  { replaces, doing }: How,
): readonly Installed[] {
  const isDue = ({ standing: { state } }: Wanted) =>
    state === 'missing' || state === 'older' || (replaces && state === 'changed')
  const due = wanted.filter(isDue)
  const namesOf = (kind: Wanted['kind']) => due.filter((one) => one.kind === kind).map(({ name }) => name)
  const [skills, agents] = [namesOf('skill'), namesOf('agent')]
  if (due.length > 0) {
    checkUntracked(target, skills)
    noteTarget(target)
    hideLocal(target, { skills, agents })
  }
  const copies = new Map(
    changedIn(due).map(({ place }) => [place, keepCopy(place, join(target.home.folder, 'replaced'))]),
  )
  putAgents(target, agents)
  const all = shippedSkills()
  for (const { name, place } of due.filter(({ kind }) => kind === 'skill')) {
    doing?.(`Installing ${name}`)
    putSkill(sourceOf(name), place, { version: VERSION, scope: target.scope, agents: agentsOf(all, name) })
  }
  doing?.('')
  return wanted.map((one) => ({
    kind: one.kind,
    name: one.name,
    place: one.place,
    for: one.for,
    done: doneWith(one, isDue(one)),
    copy: copies.get(one.place) ?? null,
  }))
}

const agentsOf = (all: readonly Shipped[], name: string): readonly string[] =>
  all.find((one) => one.name === name)?.agents ?? []

function doneWith({ standing: { state } }: Wanted, isDue: boolean): Installed['done'] {
  if (!isDue) return state === 'missing' || state === 'older' ? 'current' : state
  return state === 'missing' ? 'installed' : state === 'changed' ? 'replaced' : 'updated'
}
