import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type InstalledPlugin, ownFolder, type UserFolders } from '../model/client-files.ts'
import { WIDEST_FIRST } from '../model/client-settings.ts'
import type { Client } from '../model/client.ts'

/** The file in which a client lists its plugins, if it has any. */
export const pluginList = (client: Client, user: UserFolders): string | undefined =>
  client.plugins === undefined ? undefined : join(ownFolder(user, client), client.plugins.list)

/** The plugins of a client that are enabled in a project. */
export async function pluginsOf(
  client: Client,
  user: UserFolders,
  project: string,
): Promise<readonly InstalledPlugin[]> {
  const list = pluginList(client, user)
  if (client.plugins === undefined || list === undefined) return []
  const folders = { user: ownFolder(user, client), project }
  const settings = WIDEST_FIRST.map((scope) => textAt(client.settings.path(scope, folders)))
  return client.plugins.installed(await textAt(list), await Promise.all(settings), project)
}

const textAt = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined)
