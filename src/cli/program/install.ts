import type { Home } from '../../daemon/home.ts'
import { durableEntry, holdfastOnPath, writeLauncher } from '../../daemon/launcher.ts'
import { VERSION } from '../../daemon/version.ts'
import type { DaemonProgram } from '../../engine/call/context.ts'
import { shellWord } from '../../model/shell/word.ts'
import { PROGRAM } from '../../model/text/told-commands.ts'
import { handsOverTo } from '../daemon/upgrade.ts'
import type { Io } from '../frame/io.ts'
import { keepCopy } from './copy.ts'
import { adviceOf, commandsOf, isCallable, putNames } from './names.ts'
import { packageOf } from './package.ts'
import { noteHome, removeUnused } from './unused.ts'

/** What `init` will do with the program itself, in one sentence; undefined if it stays where it is. */
export function planOf(io: Io, home: Home): string | undefined {
  if (packageOf(io.entry) === undefined) return undefined
  return `Version ${VERSION} of the program goes to ${home.programs}, with its Node; ${commandsOf(home)}/${PROGRAM} calls it.`
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
  const copy = keepCopy(home, io.entry)
  if (copy === undefined)
    return { program: { node: process.execPath, entry: durableEntry(io.entry, io.env) }, advice: [] }
  await handsOverTo(home, copy)
  noteHome(home)
  writeLauncher(home, copy)
  putNames(home, io.env, copy)
  removeUnused(home)
  return { program: { node: copy.node, entry: copy.entry }, advice: adviceOf(home, io.env) }
}
