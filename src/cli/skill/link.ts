import { existsSync, lstatSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { makeFoldersSync, syncSync } from '../../files/place.ts'
import { EngineError } from '../../model/error.ts'

/** The folder of a skill, also if its SKILL.md was named. */
export const skillFolder = (path: string): string =>
  /^SKILL\.md$/i.test(basename(path)) ? dirname(path) : path

/** Links a skill into a project, and returns what it did. */
export function linkSkill(target: string, place: string): string {
  if (!isSkill(target))
    throw new EngineError('not-found', `${target} has no SKILL.md.`, {
      hint: `holdfast skill list ${existsSync(target) ? target : '--all'}`,
    })
  const there = lstatSync(place, { throwIfNoEntry: false })
  if (there !== undefined && isSame(target, place))
    return there.isSymbolicLink() ? 'Already linked' : 'Already in place'
  const isBroken = there?.isSymbolicLink() === true && !existsSync(place)
  if (there !== undefined && !isBroken) throw taken(place, there.isSymbolicLink())
  if (isBroken) rmSync(place)
  linkTo(target, place)
  return 'Linked'
}

/** Makes a relative link, and the folders above it. */
export function linkTo(target: string, place: string): void {
  makeFoldersSync(dirname(place))
  // The folder of the link may be a link, and a relative one counts from its real path.
  symlinkSync(
    relative(realpathSync(dirname(place)), join(realpathSync(dirname(target)), basename(target))),
    place,
  )
  syncSync(dirname(place))
}

/** Removes only a link, never a folder of the user. */
export function unlinkSkill(place: string): string {
  const there = lstatSync(place, { throwIfNoEntry: false })
  if (there === undefined) return 'Not linked'
  if (!there.isSymbolicLink())
    throw new EngineError('conflict', `${place} is a folder, not a link; nothing changed.`)
  rmSync(place)
  return 'Unlinked'
}

const isSkill = (folder: string): boolean =>
  existsSync(folder) && readdirSync(folder).some((name) => /^SKILL\.md$/i.test(name))

/** True if two paths lead to the same file. */
export const isSame = (one: string, other: string): boolean =>
  existsSync(other) && realpathSync(one) === realpathSync(other)

const taken = (place: string, isLink: boolean): EngineError =>
  new EngineError('conflict', `${place} already exists; nothing changed.`, {
    hint: isLink
      ? `holdfast skill link ${basename(place)} --remove --into ${dirname(place)}`
      : `Move ${place} away first.`,
  })
