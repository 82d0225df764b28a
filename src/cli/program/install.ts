import type { Home } from '../../daemon/home.ts'
import {
  canLaunch,
  durableEntry,
  holdfastOnPath,
  readLauncher,
  writeLauncher,
} from '../../daemon/launcher.ts'
import { VERSION } from '../../daemon/version.ts'
import type { DaemonProgram } from '../../engine/call/context.ts'
import { EngineError } from '../../model/error.ts'
import { isNewer } from '../../model/version.ts'
import { shellWord } from '../../model/shell/word.ts'
import { PROGRAM } from '../../model/text/told-commands.ts'
import { handsOverTo } from '../daemon/upgrade.ts'
import type { Io } from '../frame/io.ts'
import { isCopy, keepCopy } from './copy.ts'
import { adviceOf, commandsOf, freeNames, isCallable, putNames } from './names.ts'
import { packageOf } from './package.ts'
import { noteHome, removeUnused } from './unused.ts'

/** What `init` will do with the program itself, in one sentence; undefined if it stays where it is. */
export function planOf(io: Pick<Io, 'entry' | 'env'>, home: Home): string | undefined {
  const own = packageOf(io.entry)
  if (own === undefined) return undefined
  const newer = newerThanThis(home)
  if (newer !== undefined) return `Version ${newer} is installed already, so it stays in charge.`
  const names = freeNames(home, io.env)
  const calls = `${names.join(' and ')} in ${commandsOf(home)} call${names.length === 1 ? 's' : ''} it`
  const kept = `${isCopy(home, own) ? 'is in' : 'goes to'} ${home.programs}, with its Node`
  return `Version ${VERSION} of the program ${kept}${names.length === 0 ? '' : `; ${calls}`}.`
}

/** The installed version, if it works and is newer than this program. */
function newerThanThis(home: Home): string | undefined {
  const known = readLauncher(home)
  return known !== undefined && canLaunch(home) && isNewer(known.version, VERSION) ? known.version : undefined
}

/** How the user calls our program once it is installed. */
export function laterCalledAs(io: Io, home: Home): string | undefined {
  if (packageOf(io.entry) === undefined) return undefined
  const isCommand = holdfastOnPath(io.env) !== undefined || isCallable(home, io.env)
  return isCommand ? PROGRAM : shellWord(home.launcher)
}

/** Puts the program where it stays, and lets the daemon of this home run it; returns what the user must know. */
export async function installProgram(
  io: Io,
  home: Home,
): Promise<{ readonly program: DaemonProgram; readonly advice: readonly string[] }> {
  const copy = writable(home, () => keepCopy(home, io.entry))
  if (copy === undefined)
    return { program: { node: process.execPath, entry: durableEntry(io.entry, io.env) }, advice: [] }
  const program = { node: copy.node, entry: copy.entry }
  noteHome(home)
  // The preview has told so.
  if (newerThanThis(home) !== undefined) return { program, advice: [] }
  // The daemon hands over only to the program of the launcher.
  writeLauncher(home, copy)
  await handsOverTo(home, copy)
  const problem = putNames(home, io.env, copy)
  removeUnused(home)
  return { program, advice: problem === undefined ? adviceOf(home, io.env) : [problem] }
}

/** Says where our program could not be written, and what helps. */
function writable<T>({ programs }: Home, write: () => T): T {
  try {
    return write()
  } catch (error) {
    if (error instanceof EngineError || !(error instanceof Error)) throw error
    throw new EngineError('unavailable', `The program cannot be kept in ${programs}: ${error.message}.`, {
      cause: error,
      hint: 'XDG_DATA_HOME=/another/folder holdfast init',
    })
  }
}
