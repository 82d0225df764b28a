import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { clients } from '../../clients/index.ts'
import { commandsOnPath } from '../../daemon/launcher.ts'
import { VERSION } from '../../daemon/version.ts'
import { shellWord } from '../../model/shell/word.ts'
import { PROGRAM } from '../../model/text/told-commands.ts'
import { isNewer } from '../../model/version.ts'
import { namesOf, pathLine } from '../program/names.ts'
import { askVersion } from './ask-version.ts'
import type { Problem } from './check.ts'
import type { Scene } from './scene.ts'
import { ownPlugins } from './plugins.ts'

/** Agents call us by name, as skills and people tell them. */
export function missingCommand(scene: Scene): readonly Problem[] {
  const { io, home } = scene
  // A client puts the script of the plugin on the PATH of its shells.
  if (
    commandsOnPath(io.env, PROGRAM).length > 0 ||
    ownPlugins(scene).some(({ program }) => existsSync(program))
  )
    return []
  const detail = `The shells of agents have no ${PROGRAM}: it is not on the PATH, so its name alone gives exit code 127.`
  return [{ detail, fix: namesOf(home).length > 0 ? pathLine(home, io.env) : `${PROGRAM} init --yes` }]
}

interface Command {
  readonly path: string
  readonly version: string
}

const known = new WeakMap<Scene, readonly Command[]>()

/** The programs of the PATH with our name, as far as they are ours; the first is the one that shells run. */
function commandsOf(scene: Scene): readonly Command[] {
  const found = known.get(scene) ?? findCommands(scene)
  known.set(scene, found)
  return found
}

function findCommands({ io }: Scene): readonly Command[] {
  const paths = commandsOnPath(io.env, PROGRAM).filter((path) => !isOfPlugin(path))
  const once = new Map(paths.toReversed().map((path) => [realpathSync(path), path]))
  return [...once.values()].toReversed().flatMap((path) => {
    const { version } = askVersion(path, io.env)
    return version !== undefined && /^\d+\.\d+\.\d+/.test(version) ? [{ path, version }] : []
  })
}

/** The script of a plugin runs any program that it finds. */
const isOfPlugin = (path: string): boolean =>
  [...clients.values()].some(
    ({ plugins }) => plugins !== undefined && existsSync(join(dirname(path), '..', plugins.manifest)),
  )

const versionsOf = (commands: readonly Command[]): number =>
  new Set(commands.map(({ version }) => version)).size

/** An older program under our name; several versions are another problem. */
export function oldCommand(scene: Scene): readonly Problem[] {
  const commands = commandsOf(scene)
  const [first] = commands
  if (first === undefined || versionsOf(commands) > 1 || !isNewer(VERSION, first.version)) return []
  const { entry } = scene.io
  return [
    {
      detail: `${first.path} is version ${first.version}, but this is ${VERSION}.`,
      // By its path, because the name calls the older one.
      fix: `${shellWord(process.execPath)} ${shellWord(entry)} init --yes`,
    },
  ]
}

export function severalCommands(scene: Scene): readonly Problem[] {
  const commands = commandsOf(scene)
  if (versionsOf(commands) < 2) return []
  const newest = commands.reduce((one, other) => (isNewer(other.version, one.version) ? other : one))
  const older = commands.filter(({ version }) => version !== newest.version)
  const listed = commands.map(({ path, version }) => `${path} (${version})`).join(', ')
  return [
    {
      detail: `The PATH has several versions, and shells run the first: ${listed}.`,
      fix: `rm ${older.map(({ path }) => shellWord(path)).join(' ')}`,
    },
  ]
}
