import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { clients } from '../../clients/index.ts'
import { removeLauncher } from '../../daemon/launcher.ts'
import type { Client } from '../../model/client.ts'
import type { Lock } from '../../model/lock.ts'
import { shellWord } from '../../model/shell/word.ts'
import { counted, listed } from '../../model/text/line.ts'
import { livingDaemon } from '../daemon/process.ts'
import type { Arguments } from '../frame/args.ts'
import { removeCommands } from './client-commands.ts'
import {
  allInstalled,
  contentDigest,
  findInstalled,
  forgetInstalled,
  type Installed,
  originalOf,
} from './installed.ts'
import type { Io } from '../frame/io.ts'
import { gitLeft } from './lock.ts'
import { about, clientOf, clientWords, type Place, placeOf, placesOf, scopeOf } from './place.ts'
import { fitTerminal, printVerbatim } from '../frame/show.ts'
import { readSettings, removeSettings, replaceSettings } from './settings-file.ts'
import { painted } from '../frame/unified-diff.ts'
import { targetOf } from '../catalogue/folders.ts'
import { installedAt } from '../catalogue/remove.ts'
import { settingsDiff } from './show-diff.ts'

/** Runs `holdfast uninstall`: removes our hooks from the settings that apply here. */
export function runUninstall(io: Io, { values, switches }: Arguments): number {
  const scope = scopeOf(values)
  const places = scope === undefined ? placesOf(io, values) : [placeOf(io, values, scope)]
  const isDry = switches.has('dry_run')
  const warnings = places.flatMap((place) => {
    const lock = lockAt(place)
    return lock === undefined ? [] : gitLeft(place, lock)
  })
  const commands = places.flatMap((place) => removeCommands(place, isDry))
  const done = places.flatMap((place) => takeOut(place, isDry))
  const [home, name] = [places[0]?.home, places[0]?.client.name]
  const isLast = home !== undefined && !isDry && allInstalled(home).length === 0
  if (isLast) removeLauncher(home)
  const left = home === undefined ? [] : allInstalled(home).filter(({ client }) => client === name)
  const elsewhere = isDry ? [] : left.filter((one) => isStillThere(one, clientOf(values)))
  const paths = elsewhere.map(({ path }) => path)
  // The plugin and commands may still use it, so only the user knows whether to stop it.
  const daemon = isLast ? livingDaemon(home) : undefined
  const showsDiff = switches.has('diff')
  const hasCopy = isLast && existsSync(home.programs)
  const skills = places.flatMap((place) => skillsLeft(place))
  printVerbatim(
    io,
    { uninstalled: done, commands, elsewhere: paths, daemon_pid: daemon ?? null, warnings, skills },
    () => describe(io, { done, commands, elsewhere, isDry, showsDiff, daemon, hasCopy, warnings, skills }),
  )
  return 0
}

/** Installed skills also work without hooks, by the commands that they name, so only the user knows whether they go. */
function skillsLeft(place: Place): readonly SkillsLeft[] {
  const names = installedAt(targetOf(place))
  const next = `holdfast skill uninstall --all${clientWords(place.client)} --scope ${place.scope}`
  const where = place.scope === 'user' ? '' : ` --project ${shellWord(place.project)}`
  return names.length === 0 ? [] : [{ scope: place.scope, names, next: `${next}${where}` }]
}

interface SkillsLeft {
  readonly scope: string
  readonly names: readonly string[]
  /** The command that takes them out. */
  readonly next: string
}

const lockAt = ({ home, client, file }: Place): Lock | undefined =>
  findInstalled(home, { client: client.name, path: file.path })?.lock

/** Skips missing projects and entries that the user removed; reports unreadable files. */
function isStillThere({ path }: Installed, client: Client): boolean {
  try {
    const { ways, statusLine } = client.settings.read(readSettings(path).text ?? '')
    return ways.length > 0 || statusLine?.isOurs === true
  } catch {
    return true
  }
}

interface Uninstalled {
  readonly scope: string
  readonly path: string
  /** `bytes`: restored byte for byte. `entries`: the user changed the file, so only our entries were removed. */
  readonly restored: 'bytes' | 'entries'
  readonly removed: boolean
  readonly diff: readonly string[]
  readonly written: boolean
}

/** Removes our entries from settings; a dry run only tells the change. */
export function takeOut(place: Place, isDry: boolean): readonly Uninstalled[] {
  const { home, client, scope, file } = place
  const id = { client: client.name, path: file.path }
  const known = findInstalled(home, id)
  const original = withoutUs(place)
  const changes = original === undefined ? file.bytes !== undefined : file.bytes?.equals(original) !== true
  if (changes && !isDry) {
    if (original === undefined) removeSettings(file, known?.folders ?? [])
    else replaceSettings(file, original)
  }
  if (!isDry) forgetInstalled(home, id)
  if (!changes || file.bytes === undefined) return []
  return [
    {
      scope,
      path: file.path,
      restored: known?.digest === contentDigest(file.bytes) ? 'bytes' : 'entries',
      removed: original === undefined,
      diff: settingsDiff(file.text, original?.toString('utf8')),
      written: !isDry,
    },
  ]
}

/** The settings without our entries; undefined if the file did not exist before. */
export function withoutUs({ home, client, file }: Place): Buffer | undefined {
  const { bytes, text } = file
  if (bytes === undefined || text === undefined) return undefined
  const known = findInstalled(home, { client: client.name, path: file.path })
  const original = originalOf(known)
  if (known?.digest === contentDigest(bytes)) return original
  const { ways, statusLine } = about(file, () => client.settings.read(text))
  if (ways.length === 0 && statusLine?.isOurs !== true && known === undefined) return bytes
  const rest = about(file, () => client.settings.unwire(text, original?.toString('utf8'), known?.lock))
  const isNothing = known?.existed === false && rest.trim() === '{}'
  return isNothing ? undefined : Buffer.from(rest)
}

const ROOM = 200

/** The message of `uninstall` without hooks to remove. */
export const NO_HOOKS = 'The settings here contain no Holdfast hooks.'

interface Told {
  readonly done: readonly Uninstalled[]
  /** The files of our commands. */
  readonly commands: readonly string[]
  readonly elsewhere: readonly Installed[]
  readonly isDry: boolean
  readonly showsDiff: boolean
  /** The pid of a daemon that no hooks need. */
  readonly daemon: number | undefined
  /** Whether a copy of our program stays. */
  readonly hasCopy: boolean
  readonly warnings: readonly string[]
  readonly skills: readonly SkillsLeft[]
}

function describe(
  io: Io,
  { done, commands, elsewhere, isDry, showsDiff, daemon, hasCopy, warnings, skills }: Told,
): string {
  const said = (text: string): string => fitTerminal(io, text)
  return [
    ...(done.length === 0 ? [NO_HOOKS] : []),
    ...done.flatMap(({ path, diff, restored, removed }) => [
      ...(showsDiff ? [painted(io, diff)] : []),
      said(`${path}: ${removed ? 'removed, because it did not exist before.' : HOW[restored]}`),
    ]),
    ...(commands.length === 0
      ? []
      : [said(`Commands in the client: ${counted(commands.length, 'file')} removed.`)]),
    ...warnings.map((warning) => said(`warning: ${warning}`)),
    ...(isDry && done.length > 0 ? ['Nothing written (--dry-run).'] : []),
    ...skills.map(({ names, next }) =>
      said(`Installed skills stay: ${listed(names, ROOM)}. To take them out: ${next}`),
    ),
    ...elsewhere.map((one) => said(`Still installed: ${one.path} (holdfast uninstall${wordsFor(one)})`)),
    ...(daemon === undefined
      ? []
      : [
          said(
            `The daemon still runs (pid ${daemon}). If nothing else uses it, stop it: holdfast daemon stop`,
          ),
        ]),
    ...(hasCopy ? [said('The program and its data stay. To remove them too: holdfast uninstall --all')] : []),
  ].join('\n')
}

/** The folder of the settings is the project, unless a link led to them. */
function wordsFor({ client: name, scope, path }: Installed): string {
  const client = clients.get(name)
  const words = `${client === undefined ? '' : clientWords(client)} --scope ${scope}`
  if (scope === 'user') return words
  const project = dirname(dirname(path))
  const isIts = client?.settings.path(scope, { user: '', project }) === path
  return `${words} --project ${isIts ? shellWord(project) : 'FOLDER'}`
}

const HOW = {
  bytes: 'restored byte for byte.',
  entries: 'only the Holdfast entries are removed, because the file has other changes.',
} as const
