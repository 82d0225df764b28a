import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isVanishing } from '../../daemon/launcher.ts'
import { VERSION } from '../../daemon/version.ts'
import type { ClientPlugins } from '../../model/client-files.ts'
import { shellWord } from '../../model/shell/word.ts'
import { PROGRAM } from '../../model/text/told-commands.ts'
import { isNewer } from '../../model/version.ts'
import { versionsIn } from '../program/copy.ts'
import { packageOf } from '../program/package.ts'
import { askVersion } from './ask-version.ts'
import type { Problem } from './check.ts'
import type { Scene } from './scene.ts'

/** Our plugin in a client. */
interface OwnPlugin {
  readonly key: string
  readonly folder: string
  /** Whether the client has copied it. */
  readonly isCopy: boolean
  /** Its script that finds our program; older versions have none. */
  readonly program: string
  readonly manifest: string
  readonly env: Readonly<Record<string, string>>
  readonly plugins: ClientPlugins
}

export const ownPlugins = (scene: Scene): readonly OwnPlugin[] =>
  scene.sources().flatMap(({ client: { plugins }, plugin, env }) => {
    if (plugins === undefined || plugin?.name !== PROGRAM) return []
    const { key, folder, isCopy } = plugin
    const [program, manifest] = [join(folder, plugins.program), join(folder, plugins.manifest)]
    return [{ key, folder, isCopy, program, manifest, env, plugins }]
  })

export const deadPlugins = (scene: Scene): readonly Problem[] =>
  ownPlugins(scene).flatMap((plugin) => {
    const why = whyDead(scene, plugin)
    if (why === undefined) return []
    const detail = `The plugin ${plugin.key} is enabled, but ${why}.`
    return [{ detail, fix: fromHere(scene, plugin) ?? instead(plugin) }]
  })

function whyDead({ io }: Scene, { folder, program, manifest, env }: OwnPlugin): string | undefined {
  if (!existsSync(manifest)) return `${folder} is gone, so the client does not load it`
  if (!existsSync(program)) return undefined
  const { problem } = askVersion(program, { ...io.env, ...env })
  return problem === undefined ? undefined : `${program} ${problem}`
}

export const oldPlugins = (scene: Scene): readonly Problem[] =>
  ownPlugins(scene).flatMap((plugin) => {
    const { key, folder, manifest } = plugin
    const carried = join(folder, 'program', 'package.json')
    const old = [manifest, carried].find((path) => isNewer(VERSION, versionIn(path)))
    if (old === undefined) return []
    const detail = `The plugin ${key} is older than this program: ${old} says ${versionIn(old)}, and this is ${VERSION}.`
    return [{ detail, fix: fromHere(scene, plugin) ?? renewed(plugin, old === carried) }]
  })

/** The command that ends the use of the plugin, which always helps. */
const instead = ({ key, plugins }: OwnPlugin): string =>
  `${plugins.disable(shellWord(key))} && ${PROGRAM} init --yes`

/** The client updates only its own copies. */
function renewed(plugin: OwnPlugin, isBuild: boolean): string {
  const { key, folder, isCopy, plugins } = plugin
  if (isCopy) return plugins.update(shellWord(key))
  const clone = packageOf(join(dirname(folder), 'bin', 'holdfast.js'))
  return isBuild && clone?.isClone === true
    ? `npm --prefix ${shellWord(clone.folder)} run build`
    : instead(plugin)
}

/** The command that lets the plugin come from the package of this program, if that stays where it is. */
function fromHere({ io, home }: Scene, { key, plugins }: OwnPlugin): string | undefined {
  const own = packageOf(io.entry)
  if (own === undefined || isVanishing(own.folder) || dirname(own.folder) === versionsIn(home))
    return undefined
  if (!existsSync(join(own.folder, plugins.offers))) return undefined
  const folder = shellWord(own.folder)
  const move = plugins.moveTo(key, folder)
  return move === undefined || !own.isClone ? move : `npm --prefix ${folder} run build && ${move}`
}

/** The version in a manifest; empty if there is none. */
function versionIn(path: string): string {
  try {
    const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version?: unknown }
    return typeof version === 'string' ? version : ''
  } catch {
    return ''
  }
}
