import { dirname } from 'node:path'
import { clients } from '../../clients/index.ts'
import type { Client } from '../../model/client.ts'
import { shellWord } from '../../model/shell/word.ts'
import type { Arguments } from '../frame/args.ts'
import {
  allInstalled,
  digestOf,
  findInstalled,
  forgetInstalled,
  type Installed,
  originalOf,
} from './installed.ts'
import type { Io } from '../frame/io.ts'
import { about, clientOf, clientWords, type Place, placeOf, placesOf, scopeOf } from './place.ts'
import { printResult } from '../frame/show.ts'
import { readSettings, removeSettings, replaceSettings } from './settings-file.ts'
import { painted, settingsDiff } from './show-diff.ts'

/** What `holdfast uninstall` does: takes our hooks out of the settings that count here. */
export function runUninstall(io: Io, { values, switches }: Arguments): number {
  const scope = scopeOf(values)
  const places = scope === undefined ? placesOf(io, values) : [placeOf(io, values, scope)]
  const isDry = switches.has('dry_run')
  const done = places.flatMap((place) => takeOut(place, isDry))
  const [home, name] = [places[0]?.home, places[0]?.client.name]
  const left = home === undefined ? [] : allInstalled(home).filter(({ client }) => client === name)
  const elsewhere = isDry ? [] : left.filter((one) => isStillThere(one, clientOf(values)))
  const paths = elsewhere.map(({ path }) => path)
  printResult(io, { uninstalled: done, elsewhere: paths }, () => describe(io, done, elsewhere, isDry))
  return 0
}

/** A project may be gone since, or somebody has taken our entries out by hand; what cannot be read is told. */
function isStillThere({ path }: Installed, client: Client): boolean {
  try {
    const { ways, statusLine } = client.settings.read(readSettings(path).text ?? '', { port: 0 })
    return ways.length > 0 || statusLine?.isOurs === true
  } catch {
    return true
  }
}

interface Uninstalled {
  readonly scope: string
  readonly path: string
  /** `bytes`: as it was, byte for byte. `entries`: the user has changed it since, so only ours went. */
  readonly restored: 'bytes' | 'entries'
  readonly removed: boolean
  readonly diff: readonly string[]
  readonly written: boolean
}

function takeOut(place: Place, isDry: boolean): readonly Uninstalled[] {
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
      restored: known?.digest === digestOf(file.bytes) ? 'bytes' : 'entries',
      removed: original === undefined,
      diff: settingsDiff(file.text, original?.toString('utf8')),
      written: !isDry,
    },
  ]
}

/** The settings of a place as they are without us; undefined where there would be none. */
export function withoutUs({ home, client, file }: Place): Buffer | undefined {
  const { bytes, text } = file
  if (bytes === undefined || text === undefined) return undefined
  const known = findInstalled(home, { client: client.name, path: file.path })
  const original = originalOf(known)
  if (known?.digest === digestOf(bytes)) return original
  const { ways, statusLine } = about(file, () => client.settings.read(text, { port: 0 }))
  if (ways.length === 0 && statusLine?.isOurs !== true && known === undefined) return bytes
  const rest = about(file, () => client.settings.unwire(text, original?.toString('utf8')))
  const isNothing = known?.existed === false && rest.trim() === '{}'
  return isNothing ? undefined : Buffer.from(rest)
}

function describe(
  io: Io,
  done: readonly Uninstalled[],
  elsewhere: readonly Installed[],
  isDry: boolean,
): string {
  return [
    ...(done.length === 0 ? ['No hooks of ours are in the settings that count here.'] : []),
    ...done.flatMap(({ path, diff, restored, removed }) => [
      painted(io, diff),
      `${path}: ${removed ? 'it was not there before, so it goes' : HOW[restored]}`,
    ]),
    ...(isDry && done.length > 0 ? ['Nothing was written: --dry-run.'] : []),
    ...elsewhere.map((one) => `Still installed: ${one.path} (holdfast uninstall${wordsFor(one)})`),
  ].join('\n')
}

/** The project is the folder whose settings these are, unless they were reached by a link. */
function wordsFor({ client: name, scope, path }: Installed): string {
  const client = clients.get(name)
  const words = `${client === undefined ? '' : clientWords(client)} --scope ${scope}`
  if (scope === 'user') return words
  const project = dirname(dirname(path))
  const isIts = client?.settings.path(scope, { user: '', project }) === path
  return `${words} --project ${isIts ? shellWord(project) : 'FOLDER'}`
}

const HOW = {
  bytes: 'byte for byte as it was.',
  entries: 'it was changed since, so only our entries go.',
} as const
