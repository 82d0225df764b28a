import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { EngineError } from '../../model/error.ts'

/** The folder that is meant, where its SKILL.md was named. */
export const skillFolder = (path: string): string =>
  /^SKILL\.md$/i.test(basename(path)) ? dirname(path) : path

/** Leads from a project to a skill that lies elsewhere; says what was done. */
export function linkSkill(target: string, place: string): string {
  if (!isSkill(target))
    throw new EngineError('not-found', `${target} has no SKILL.md.`, {
      hint: `holdfast skill list ${existsSync(target) ? target : '--all'}`,
    })
  const there = lstatSync(place, { throwIfNoEntry: false })
  if (there !== undefined && isSame(target, place))
    return there.isSymbolicLink() ? 'Already linked' : 'It lies there already'
  const isBroken = there?.isSymbolicLink() === true && !existsSync(place)
  if (there !== undefined && !isBroken) throw taken(place, there.isSymbolicLink())
  if (isBroken) rmSync(place)
  mkdirSync(dirname(place), { recursive: true })
  // The folder of skills may be a link itself, and what is written into a link counts from where it really lies.
  symlinkSync(
    relative(realpathSync(dirname(place)), join(realpathSync(dirname(target)), basename(target))),
    place,
  )
  return 'Linked'
}

/** Only a link is removed: a folder that somebody wrote is not ours. */
export function unlinkSkill(place: string): string {
  const there = lstatSync(place, { throwIfNoEntry: false })
  if (there === undefined) return 'Not linked'
  if (!there.isSymbolicLink())
    throw new EngineError('conflict', `${place} is a folder, not a link; it was left alone.`)
  rmSync(place)
  return 'Unlinked'
}

const isSkill = (folder: string): boolean =>
  existsSync(folder) && readdirSync(folder).some((name) => /^SKILL\.md$/i.test(name))

const isSame = (one: string, other: string): boolean =>
  existsSync(other) && realpathSync(one) === realpathSync(other)

const taken = (place: string, isLink: boolean): EngineError =>
  new EngineError('conflict', `${place} exists already; nothing was changed.`, {
    hint: isLink
      ? `holdfast skill link ${basename(place)} --remove --into ${dirname(place)}`
      : `Move ${place} away first.`,
  })
