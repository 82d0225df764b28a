import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clients } from '../../clients/index.ts'
import { findHome } from '../../daemon/home.ts'
import { type ClientPlugins, type InstalledPlugin, ownFolder } from '../../model/client-files.ts'
import { type Scope, SCOPES, WIDEST_FIRST } from '../../model/client-settings.ts'
import type { Client } from '../../model/client.ts'
import { EngineError } from '../../model/error.ts'
import { shellWord } from '../../model/shell/word.ts'
import type { Io } from '../frame/io.ts'
import { clientWords, projectFolder } from '../install/place.ts'
import { readSettings } from '../install/settings-file.ts'
import type { Machine } from './machine.ts'

/** A file whose hooks can apply here. */
export interface Source {
  readonly kind: Scope | 'plugin' | 'managed'
  readonly client: Client
  readonly project: string
  readonly path: string
  readonly text: string
  readonly mode: number | undefined
  /** Why it cannot be read; it then counts as empty. */
  readonly problem: string | undefined
  /** The commands that rewrite and remove our hooks. */
  readonly renew: string
  readonly remove: string
  readonly env: Readonly<Record<string, string>>
  /** The plugin, where the client reads it: its own copy, or the folder of the marketplace. */
  readonly plugin?: InstalledPlugin & { readonly isCopy: boolean }
}

/** The sources of every client. */
export const findSources = (io: Io, machine: Machine): readonly Source[] =>
  [...clients.values()].flatMap((client) => sourcesOf(io, machine, client))

/** The sources per client, because only those of one client interact. */
export const byClient = (sources: readonly Source[]): readonly (readonly Source[])[] => [
  ...Map.groupBy(sources, ({ client }) => client).values(),
]

function sourcesOf(io: Io, machine: Machine, client: Client): readonly Source[] {
  const project = projectFolder(io, {})
  const folders = { user: ownFolder(findHome(io.env).user, client), project }
  const about = { client, project, env: {} }
  const own = SCOPES.map((scope) => ({
    ...about,
    kind: scope,
    ...read(client, client.settings.path(scope, folders)),
    renew: `holdfast init${clientWords(client)} --scope ${scope} --yes`,
    remove: `holdfast uninstall${clientWords(client)} --scope ${scope}`,
  }))
  return [...once(own), ...managedOf(machine, about), ...pluginsOf(folders, about)]
}

type About = Pick<Source, 'client' | 'project' | 'env'>

function managedOf(machine: Machine, about: About): readonly Source[] {
  const named = about.client.settings.managed?.(machine.platform)
  if (named === undefined) return []
  const path = machine.managed(named)
  const edit = `sudoedit ${shellWord(path)}`
  return [{ ...about, kind: 'managed', ...read(about.client, path), renew: edit, remove: edit }]
}

function pluginsOf(folders: { readonly user: string; readonly project: string }, about: About) {
  const { client, project } = about
  const { plugins, settings } = client
  if (plugins === undefined) return []
  const texts = WIDEST_FIRST.map((scope) => textAt(settings.path(scope, folders)))
  return plugins.installed(textAt(join(folders.user, plugins.list)), texts, project).map((one): Source => {
    const folder = folderOf(plugins, folders.user, one)
    const plugin = { ...one, folder, isCopy: folder === one.folder }
    const { path, env } = plugins.hooks(folder)
    const [renew, remove] = [plugins.update(shellWord(one.key)), plugins.disable(shellWord(one.key))]
    return { ...about, kind: 'plugin', ...read(client, path), renew, remove, env, plugin }
  })
}

/** The folder from which the client reads a plugin; its own copy may be older. */
function folderOf(plugins: ClientPlugins, user: string, { name, key, folder }: InstalledPlugin): string {
  const market = plugins.readFrom(textAt(join(user, plugins.marketplaces)), key)
  if (market === undefined) return folder
  const place = plugins.offered(textAt(join(market, plugins.offers)), name)
  return place === undefined && existsSync(market) ? folder : join(market, place ?? name)
}

/** A home may be a project too; then the first scope counts. */
const once = (sources: readonly Source[]): readonly Source[] =>
  sources.filter(({ path }, index) => sources.findIndex((one) => one.path === path) === index)

function read(client: Client, named: string): Pick<Source, 'path' | 'text' | 'mode' | 'problem'> {
  try {
    const { path, text = '', mode } = readSettings(named)
    const problem = problemOf(() => client.settings.read(text))
    return { path, text: problem === undefined ? text : '', mode, problem }
  } catch (error) {
    return {
      path: named,
      text: '',
      mode: undefined,
      problem: String(error instanceof Error ? error.message : error),
    }
  }
}

function problemOf(work: () => unknown): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof EngineError) return error.message
    throw error
  }
}

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
