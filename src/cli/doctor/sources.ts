import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findHome } from '../../daemon/home.ts'
import { type Client, type Scope, SCOPES } from '../../model/client.ts'
import { EngineError } from '../../model/error.ts'
import { shellWord } from '../../model/shell/word.ts'
import { pluginsIn } from '../../skills/places.ts'
import type { Io } from '../frame/io.ts'
import { clientOf, projectFolder } from '../install/place.ts'
import { disableCommand, WIDEST_FIRST } from '../install/plugin-enabled.ts'
import { readSettings } from '../install/settings-file.ts'
import type { Machine } from './machine.ts'

/** A file that can hold hooks which count here. */
export interface Source {
  readonly kind: Scope | 'plugin' | 'managed'
  readonly client: Client
  readonly project: string
  readonly path: string
  readonly text: string
  readonly mode: number | undefined
  /** Why nothing can be said of it; it counts as empty then. */
  readonly problem: string | undefined
  /** The commands that write our hooks anew, and that take them out. */
  readonly renew: string
  readonly remove: string
  readonly env: Readonly<Record<string, string>>
}

export function findSources(io: Io, machine: Machine): readonly Source[] {
  const client = clientOf({})
  const project = projectFolder(io, {})
  const { user } = findHome(io.env)
  const about = { client, project, env: {} }
  const own = SCOPES.map((scope) => ({
    ...about,
    kind: scope,
    ...read(client, client.settings.path(scope, { user: user.claude, project })),
    renew: `holdfast init --scope ${scope} --yes`,
    remove: `holdfast uninstall --scope ${scope}`,
  }))
  const path = machine.managed(client.settings.managed(machine.platform))
  const edit = `sudoedit ${shellWord(path)}`
  const managed = { ...about, kind: 'managed' as const, ...read(client, path), renew: edit, remove: edit }
  const installed = parsed(join(user.claude, 'plugins', 'installed_plugins.json'))
  const plugins = pluginsIn(
    installed,
    WIDEST_FIRST.flatMap((scope) => own.filter(({ kind }) => kind === scope)).map(({ path: file }) =>
      parsed(file),
    ),
    project,
  ).map(({ key, folder }) => ({
    ...about,
    kind: 'plugin' as const,
    ...read(client, join(folder, 'hooks', 'hooks.json')),
    renew: `claude plugin update ${shellWord(key)}`,
    remove: disableCommand(shellWord(key)),
    env: { CLAUDE_PLUGIN_ROOT: folder },
  }))
  return [...once(own), managed, ...plugins]
}

/** A home may be a project too; the scope that comes first then counts. */
const once = (sources: readonly Source[]): readonly Source[] =>
  sources.filter(({ path }, index) => sources.findIndex((one) => one.path === path) === index)

function read(client: Client, named: string): Pick<Source, 'path' | 'text' | 'mode' | 'problem'> {
  try {
    const { path, text = '', mode } = readSettings(named)
    const problem = problemOf(() => client.settings.read(text, { port: 0 }))
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

function parsed(path: string): unknown {
  try {
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as unknown) : undefined
  } catch {
    return undefined
  }
}
