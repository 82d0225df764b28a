import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { clients, defaultClient } from '../../clients/index.ts'
import { findHome, type Home } from '../../daemon/home.ts'
import { ownFolder } from '../../model/client-files.ts'
import { type Scope, SCOPES, type Wired } from '../../model/client-settings.ts'
import { type Client, clientMeant } from '../../model/client.ts'
import { EngineError } from '../../model/error.ts'
import { type Io, usage } from '../frame/io.ts'
import { readSettings, type SettingsFile } from './settings-file.ts'

/** A settings file with its client, scope and project. */
export interface Place {
  readonly home: Home
  readonly client: Client
  readonly scope: Scope
  readonly project: string
  readonly file: SettingsFile
}

type Values = Readonly<Record<string, string>>

export function placeOf(io: Io, values: Values, scope: Scope): Place {
  const [home, client, project] = [findHome(io.env), clientOf(values), projectFolder(io, values)]
  const path = client.settings.path(scope, { user: ownFolder(home.user, client), project })
  return { home, client, scope, project, file: readSettings(path) }
}

/** The flag that names a client in a command; empty for the default client. */
export const clientWords = (client: Client): string =>
  client === defaultClient ? '' : ` --client ${client.name}`

/** The settings files of a project, each once, because a home may be a project too. */
export function placesOf(io: Io, values: Values): readonly Place[] {
  const places = SCOPES.map((scope) => placeOf(io, values, scope))
  return [...new Map(places.toReversed().map((place) => [place.file.path, place])).values()].toReversed()
}

/** The same for every client. */
export const placesOfAll = (io: Io, values: Values): readonly Place[] =>
  [...clients.keys()].flatMap((client) => placesOf(io, { ...values, client }))

export function scopeOf(values: Values): Scope | undefined {
  const given = values['scope']
  const scope = SCOPES.find((one) => one === given)
  if (given !== undefined && scope === undefined)
    throw usage(
      `Unknown scope ${JSON.stringify(given)}; choose one of ${SCOPES.join(', ')}.`,
      `--scope ${SCOPES[0]}`,
    )
  return scope
}

export function clientOf(values: Values): Client {
  const client = clientMeant(clients, values['client'])
  if (client !== undefined) return client
  const known = [...clients.keys()].join(', ')
  throw usage(
    `Unknown client ${JSON.stringify(values['client'])}; choose one of ${known}.`,
    `--client ${defaultClient.name}`,
  )
}

/** The named folder, else the repository of the current folder, else the current folder. */
export function projectFolder(io: Io, values: Values): string {
  // An empty value is usually an unset variable, so it must not mean the current folder.
  if (values['project'] === '') throw usage('--project must not be empty.')
  const given = resolve(io.cwd, values['project'] ?? '.')
  if (!existsSync(given))
    throw new EngineError('not-found', `${given} does not exist.`, { hint: 'holdfast project list' })
  const here = realpathSync(given)
  return values['project'] === undefined ? (repositoryAround(here) ?? here) : here
}

function repositoryAround(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder
  return folder === dirname(folder) ? undefined : repositoryAround(dirname(folder))
}

/** Our entries in a settings file; an error names the file. */
export function wiredAt({ client, file }: Place): Wired {
  return about(file, () => client.settings.read(file.text ?? ''))
}

/** Adds the path of the settings to an error. */
export function about<T>({ path }: Pick<SettingsFile, 'path'>, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    throw new EngineError(error.code, `${path}: ${error.message} Nothing written.`, {
      cause: error,
      hint: `Fix ${path}, then run this command again.`,
    })
  }
}
