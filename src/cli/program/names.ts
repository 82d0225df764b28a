import { lstatSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Home } from '../../daemon/home.ts'
import { commandsOnPath } from '../../daemon/launcher.ts'
import { makeFoldersSync, syncSync } from '../../files/place.ts'
import type { Environment } from '../../model/client-files.ts'
import { shellWord } from '../../model/shell/word.ts'
import { PROGRAM } from '../../model/text/told-commands.ts'
import { type Copy, scriptOf, versionsIn } from './copy.ts'

/** The folder in which users keep their own commands. */
export const commandsOf = ({ user }: Pick<Home, 'user'>): string => join(user.home, '.local', 'bin')

/** The names of our program; the second is a common word, so others may have it first. */
const NAMES = [PROGRAM, 'engine'] as const

/** Whether a name may be ours: it is free, or already leads to a copy of our program. */
function isOurs(home: Home, name: string): boolean {
  const path = join(commandsOf(home), name)
  const info = lstatSync(path, { throwIfNoEntry: false })
  if (info === undefined) return true
  return info.isSymbolicLink() && readlinkSync(path).startsWith(`${versionsIn(home)}/`)
}

const foldersOf = ({ PATH = '' }: Environment): readonly string[] =>
  PATH.split(':').map((folder) => folder.replace(/(?<=.)\/+$/, ''))

const isOnPath = (home: Home, env: Environment): boolean => foldersOf(env).includes(commandsOf(home))

/** Whether `holdfast` will be a command for the shells of this user. */
export const isCallable = (home: Home, env: Environment): boolean =>
  isOnPath(home, env) && isOurs(home, PROGRAM)

/** Lets the names lead to a copy; files of others stay. Returns what the user must know if that fails. */
export function putNames(home: Home, env: Environment, copy: Copy): string | undefined {
  try {
    link(home, env, copy)
    return undefined
  } catch (error) {
    // The launcher calls the program too.
    const why = error instanceof Error ? error.message : String(error)
    return `${join(commandsOf(home), PROGRAM)} cannot be made (${why}). Call: ${shellWord(home.launcher)}`
  }
}

function link(home: Home, env: Environment, copy: Copy): void {
  const folder = commandsOf(home)
  makeFoldersSync(folder)
  for (const name of freeNames(home, env)) {
    const fresh = join(folder, `.${name}-${process.pid}`)
    symlinkSync(scriptOf(copy), fresh)
    renameSync(fresh, join(folder, name))
  }
  syncSync(folder)
}

/** The names that `init` takes: those that no other program has. */
export function freeNames(home: Home, env: Environment): readonly string[] {
  const folder = commandsOf(home)
  const isElsewhere = (name: string) => commandsOnPath(env, name).some((path) => dirname(path) !== folder)
  return NAMES.filter((name) => isOurs(home, name) && (name === PROGRAM || !isElsewhere(name)))
}

/** Removes the names that lead to our program; returns their paths. */
export function removeNames(home: Home): readonly string[] {
  const ours = namesOf(home)
  for (const path of ours) rmSync(path)
  return ours
}

/** The paths of the names that lead to our program. */
export const namesOf = (home: Home): readonly string[] =>
  NAMES.filter((name) => isOurs(home, name))
    .map((name) => join(commandsOf(home), name))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined)

/** What the user must know about the names, if `holdfast` alone does not call this program. */
export function adviceOf(home: Home, env: Environment): readonly string[] {
  const folder = commandsOf(home)
  if (!isOurs(home, PROGRAM))
    return [
      `${join(folder, PROGRAM)} belongs to another program, so it stays. Call: ${shellWord(home.launcher)}`,
    ]
  if (isOnPath(home, env)) return []
  return [`${folder} is not on your PATH. To call holdfast by its name: ${pathLine(home, env)}`]
}

/** The line of shell that puts our name on the PATH. */
export function pathLine(home: Home, env: Environment): string {
  const folder = commandsOf(home)
  const shown = folder.startsWith(`${env['HOME']}/`) ? folder.replace(env['HOME'] ?? '', '$HOME') : folder
  return `export PATH="${shown}:$PATH"`
}
