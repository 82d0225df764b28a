import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { clients } from '../../clients/index.ts'
import { findHome, type Home } from '../../daemon/home.ts'
import { type Environment, ownFolder } from '../../model/client-files.ts'
import { SCOPES, type Way } from '../../model/client-settings.ts'
import type { Client } from '../../model/client.ts'

/** The other homes whose daemons the settings of the clients call, for a folder inside a project. */
export function homesInSettings(env: Environment, folder: string): readonly Home[] {
  const own = findHome(env)
  const paths = (client: Client) =>
    [folder, ...foldersAbove(folder)].flatMap((project) =>
      SCOPES.map((scope) => client.settings.path(scope, { user: ownFolder(own.user, client), project })),
    )
  const named = [...clients.values()]
    .flatMap((client) => [...new Set(paths(client))].flatMap((path) => waysIn(client, path)))
    .flatMap((way) => (way.kind === 'command' ? [...way.command.matchAll(LAUNCHER)] : []))
    .map(([, quoted, plain]) => quoted ?? plain ?? '')
  return [...new Set(named)]
    .filter((home) => home !== own.folder)
    .map((home) => findHome({ ...env, HOLDFAST_HOME: home }))
}

const LAUNCHER = /'(\/[^']*)\/bin\/holdfast'|(\/[^\s'"]*)\/bin\/holdfast/g

const foldersAbove = (folder: string): readonly string[] =>
  folder === dirname(folder) ? [] : [dirname(folder), ...foldersAbove(dirname(folder))]

/** Settings that are missing, or cannot be read, call nobody. */
function waysIn(client: Client, path: string): readonly Way[] {
  try {
    return client.settings.read(readFileSync(path, 'utf8')).ways
  } catch {
    return []
  }
}
