import {
  accessSync,
  constants,
  existsSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { DaemonProgram } from '../engine/call/context.ts'
import { makeFoldersSync } from '../files/place.ts'
import type { Environment } from '../model/client-files.ts'
import { EngineError } from '../model/error.ts'
import { shellWord } from '../model/shell/word.ts'
import { isNewer } from '../model/version.ts'
import { type Home, preparePrivateFolders } from './home.ts'
import { VERSION } from './version.ts'
import { writeWhole } from './write-whole.ts'

/** The program that a launcher runs. */
export interface Launched extends DaemonProgram {
  readonly version: string
}

/** Writes the launcher; keeps a better one. */
export function writeLauncher(home: Home, program: DaemonProgram): void {
  if (isBetter(home, program)) return
  preparePrivateFolders(home)
  makeFoldersSync(dirname(home.launcher), 0o700)
  writeWhole(home.launcher, launcherText(home, { ...program, version: VERSION }), 0o700)
}

/** Writes the launcher only if the present one cannot run this version, or soon cannot. */
export function keepLauncher(home: Home, program: DaemonProgram): void {
  const known = readLauncher(home)
  const isCurrent = known !== undefined && !isNewer(VERSION, known.version) && canLaunch(home)
  if (!isCurrent || (isVanishing(known.entry) && !isVanishing(program.entry))) writeLauncher(home, program)
}

/** Whether the launcher runs a newer program, or the same version from a place that stays. */
function isBetter(home: Home, { entry }: DaemonProgram): boolean {
  const known = readLauncher(home)
  if (known === undefined || !canLaunch(home) || isNewer(VERSION, known.version)) return false
  return isNewer(known.version, VERSION) || (isVanishing(entry) && !isVanishing(known.entry))
}

/** Whether the launcher exists and can run its program. */
export function canLaunch(home: Home): boolean {
  const known = readLauncher(home)
  return known !== undefined && isExecutable(home.launcher) && hasProgram(known)
}

/** Throws unless the launcher names a program: it lies in the home, so a caller of the socket alone cannot choose one. */
export function checkLaunched(home: Home, { node, entry }: DaemonProgram): void {
  const known = readLauncher(home)
  if (known?.node === node && known.entry === entry) return
  throw new EngineError('forbidden', `The launcher of this home does not run ${entry}, so no daemon does.`, {
    hint: 'holdfast init',
  })
}

/** The program of the launcher; undefined if there is none. */
export function readLauncher({ launcher }: Pick<Home, 'launcher'>): Launched | undefined {
  try {
    const line = readFileSync(launcher, 'utf8').split('\n')[1] ?? ''
    const { version, node, entry } = JSON.parse(line.slice(MARK.length)) as Launched
    return { version, node, entry }
  } catch {
    return undefined
  }
}

export function removeLauncher({ launcher }: Home): void {
  rmSync(launcher, { force: true })
  try {
    rmdirSync(dirname(launcher))
  } catch {
    // It is missing, or the user keeps other files there.
  }
}

const MARK = '# '

/** The variable that tells our program that it was called by its launcher. */
export const LAUNCHED = 'HOLDFAST_LAUNCHED'

/** The first comment describes the program; a missing program is reported, because caches come and go. */
function launcherText({ folder }: Home, program: Launched): string {
  const [node, entry] = [shellWord(program.node), shellWord(program.entry)]
  const gone = `holdfast: ${program.entry} no longer exists. Install it again, in a clone of holdfast: npx holdfast init`
  return [
    '#!/bin/sh',
    `${MARK}${JSON.stringify(program)}`,
    `HOLDFAST_HOME=${shellWord(folder)} ${LAUNCHED}=1`,
    `export HOLDFAST_HOME ${LAUNCHED}`,
    // It could load code of others into our program, outside of every sandbox.
    'unset NODE_OPTIONS',
    `[ -x ${node} ]&&[ -f ${entry} ]&&exec ${node} ${entry} "$@"`,
    `printf '%s\\n' ${shellWord(gone)} >&2`,
    'exit 69',
    '',
  ].join('\n')
}

const hasProgram = ({ node, entry }: DaemonProgram): boolean => isExecutable(node) && mayUse(entry)

/** Whether npm can delete a program at any time. */
export const isVanishing = (path: string): boolean => path.includes('/_npx/')

/** Prefers an installed program, or the checkout that the npx cache links to, over one in the cache. */
export function durableEntry(entry: string, env: Environment): string {
  if (!isVanishing(entry)) return entry
  const installed = holdfastOnPath(env)
  if (installed !== undefined && isAsNew(installed)) return realpathSync(installed)
  const own = existsSync(entry) ? realpathSync(entry) : entry
  return isVanishing(own) ? entry : own
}

/** Whether a command is our program, and not older than this one. */
function isAsNew(command: string): boolean {
  try {
    const about = join(dirname(realpathSync(command)), '..', 'package.json')
    const { name, version } = JSON.parse(readFileSync(about, 'utf8')) as { name?: unknown; version?: unknown }
    return name === 'holdfast' && typeof version === 'string' && !isNewer(VERSION, version)
  } catch {
    return false
  }
}

/** The `holdfast` of a PATH. */
export const holdfastOnPath = (env: Environment): string | undefined => commandsOnPath(env, 'holdfast')[0]

/** The commands of a name on a PATH, except where only npm finds them: other shells lack those folders. */
export const commandsOnPath = ({ PATH = '' }: Environment, name: string): readonly string[] =>
  PATH.split(':')
    .filter(
      (folder) => folder.startsWith('/') && !isVanishing(folder) && !/\/node_modules\/\.bin\/?$/.test(folder),
    )
    .map((folder) => join(folder, name))
    .filter(isExecutable)

const isExecutable = (path: string): boolean => mayUse(path, constants.X_OK)

function mayUse(path: string, mode = constants.R_OK): boolean {
  try {
    accessSync(path, mode)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
