import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { EngineError } from '../../model/error.ts'
import { listed } from '../../model/text/line.ts'
import { agentPlace, keptAgents, removeAgents } from './agents.ts'
import { hideLocal } from './exclude.ts'
import { forgetTarget, installedIn, type Target } from './folders.ts'
import { agentStanding, keptIn, skillStanding, type Standing } from './kept.ts'
import { keepCopy, removeEmpty, removeSkill } from './put.ts'
import { agentSource, sourceOf } from './shipped.ts'

/** A skill or an agent that is to go. */
export interface Leaving {
  readonly kind: 'skill' | 'agent'
  readonly name: string
  readonly place: string
  readonly standing: Standing
}

export interface Removed extends Omit<Leaving, 'standing'> {
  readonly done: 'removed' | 'changed'
  /** Where the changed files are kept. */
  readonly copy: string | null
}

/** The named skills as they stand, with their agents that no other installed skill needs. */
export function lookAtLeaving(target: Target, names: readonly string[]): readonly Leaving[] {
  const there = installedIn(target)
  const stay = there.filter((name) => !names.includes(name))
  const agentsFor = (of: readonly string[]) =>
    of.flatMap((name) => keptIn(join(target.skills, name))?.agents ?? [])
  const needed = new Set(agentsFor(stay))
  const kept = new Set(keptAgents(target.agents))
  // Without a skill that stays, an agent that a killed command has left goes too.
  const going = stay.length === 0 ? [...kept] : agentsFor(names).filter((name) => kept.has(name))
  const agents = [...new Set(going)].filter((name) => !needed.has(name)).toSorted()
  return [
    ...names.map((name): Leaving => {
      const place = join(target.skills, name)
      return { kind: 'skill', name, place, standing: skillStanding(sourceIf(name), place) }
    }),
    ...agents.map((name): Leaving => {
      const place = agentPlace(target, name)
      return { kind: 'agent', name, place, standing: agentStanding(agentSource(name), place) }
    }),
  ]
}

/** A version that no longer ships a skill can still take it out. */
const sourceIf = (name: string): string | undefined => {
  const source = sourceOf(name)
  return existsSync(source) ? source : undefined
}

/** The names of the skills that we installed at the scope of a target. */
export const installedAt = (target: Target): readonly string[] =>
  installedIn(target).filter((name) => keptIn(join(target.skills, name))?.scope === target.scope)

/** Refuses a name that is not installed in these folders at this scope. */
export function checkInstalled(target: Target, names: readonly string[]): void {
  for (const name of names) {
    const there = keptIn(join(target.skills, name))
    if (there?.scope === target.scope) continue
    const own = installedAt(target)
    throw new EngineError(
      'not-found',
      there === undefined
        ? `${name} was not installed into ${target.skills}${own.length === 0 ? '.' : `; these were: ${listed(own, 400)}.`}`
        : `${name} is installed at the scope ${there.scope}.`,
      {
        hint:
          there === undefined
            ? 'holdfast skill list --catalogue'
            : `holdfast skill uninstall ${name} --scope ${there.scope}`,
      },
    )
  }
}

/** Takes skills out, and what was changed only if the user says so; what others put into their folders stays. */
export function remove(
  target: Target,
  leaving: readonly Leaving[],
  removesChanged: boolean,
): readonly Removed[] {
  const goes = ({ standing: { state } }: Leaving) => state !== 'changed' || removesChanged
  const going = leaving.filter(goes)
  const namesOf = (kind: Leaving['kind']) => going.filter((one) => one.kind === kind).map(({ name }) => name)
  const copies = new Map(
    going
      .filter(({ standing }) => standing.state === 'changed')
      .map(({ place }) => [place, keepCopy(place, join(target.home.folder, 'replaced'))]),
  )
  for (const { place } of going.filter(({ kind }) => kind === 'skill')) removeSkill(place)
  removeAgents(target, namesOf('agent'))
  removeEmpty(dirname(target.skills), basename(target.skills))
  hideLocal(target)
  forgetTarget(target)
  return leaving.map((one) => ({
    kind: one.kind,
    name: one.name,
    place: one.place,
    done: goes(one) ? 'removed' : 'changed',
    copy: copies.get(one.place) ?? null,
  }))
}
