import type { Lock } from '../../model/lock.ts'
import { contentDigest, findInstalled, keepInstalled } from './installed.ts'
import type { Place } from './place.ts'
import { missingFolders, replaceSettings } from './settings-file.ts'
import { withoutUs } from './uninstall.ts'

/** Writes settings, after a backup of those without our entries; returns its path. */
export function writeSettings(place: Place, text: string, lock?: Lock): string {
  const { home, client, scope, file } = place
  const known = findInstalled(home, { client: client.name, path: file.path })
  const installed = {
    client: client.name,
    scope,
    path: file.path,
    digest: contentDigest(text),
    lock,
    folders: known?.folders ?? missingFolders(file.path),
  }
  const { backup } = keepInstalled(home, installed, withoutUs(place))
  replaceSettings(file, text, { isShared: scope === 'project' })
  return backup
}
