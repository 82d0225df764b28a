import { OUR_FOLDER } from './our-folder.ts'
import { matchesBelow, matchesGlob } from './text/glob.ts'

/** Files that hold the rules: changing them loosens the rules without a command. */
export interface OwnFiles {
  /** The home of the daemon. */
  readonly folder: string
  /** The copies of our program, which anybody may run or read. */
  readonly programs: string
  /** The user's config file. */
  readonly config: string
  /** The user's overlays. */
  readonly overlays: string
  /** Tokens and the database, which nobody but us needs to read. */
  readonly secrets: readonly string[]
  /** The launcher, the log and the description of the daemon: anybody may run or read them. */
  readonly open: readonly string[]
}

/**
 * How a call uses a file: it reads it, writes it, gives it to a program that may do either, or to one that handles files
 * without a look at their texts; of these, some change files.
 */
export type FileUse = 'read' | 'write' | 'given' | 'handled' | 'changed'

/** Whether a path or a pattern names our folder in a project, its config or its overlays; some disks ignore case. */
function isOfProject(path: string): boolean {
  const parts = path.toLowerCase().replace(/\/+$/, '').split('/')
  return parts.some((part, at) => {
    const [below, ...rest] = parts.slice(at + 1)
    if (!matchesGlob(part, OUR_FOLDER)) return false
    if (below === undefined || below === '**' || matchesGlob(below, 'skills')) return true
    return rest.length === 0 && matchesGlob(below, 'config.yaml')
  })
}

/** The parts of a copy of our program that callers name. */
const CALLED = /\/(?:node|holdfast(?:\.js)?)$/

/** Whether this use of a file is up to the user. The path may be a pattern. */
export function isOwnUse(own: OwnFiles, path: string, use: FileUse): boolean {
  const { folder, programs, config, overlays, secrets, open } = own
  if (use === 'read') return path === folder || secrets.some((secret) => isAt(path, secret, true))
  const isIn = (one: string): boolean => path === one || path.startsWith(`${one}/`)
  const isOfHome = isIn(folder)
  if (use === 'handled') return isOfHome || isIn(programs)
  const isOfRules = isIn(overlays) || isIn(folderOf(config)) || isOfProject(path)
  if (use === 'changed') return isOfRules
  if (use === 'given')
    return isIn(programs)
      ? !CALLED.test(path)
      : (isOfHome || path.includes(tailOf(folder))) &&
          !open.some((one) => path.endsWith(one.slice(folder.length)))
  return (
    isOfHome ||
    isIn(programs) ||
    isOfRules ||
    [folderOf(config), config, overlays, ...secrets].some((one) => isAt(path, one))
  )
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'))

/** The database has more files beside it, with longer names. */
const isAt = (path: string, file: string, orBeside = false): boolean =>
  matchesBelow(path, file) || (orBeside && path.startsWith(file))

/** A script may build the first part of the path from the environment. */
const tailOf = (folder: string): string => `/${folder.split('/').slice(-2).join('/')}/`
