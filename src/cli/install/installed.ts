import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Home, preparePrivateFolders } from '../../daemon/home.ts'
import { writeWhole } from '../../daemon/write-whole.ts'
import { makeFoldersSync } from '../../files/place.ts'
import type { Scope } from '../../model/client-settings.ts'
import type { Lock } from '../../model/lock.ts'

/** The record of changed settings, for their restoration. */
export interface Installed {
  readonly client: string
  readonly scope: Scope
  readonly path: string
  /** Digest of what we wrote; a different one means that the user changed the file. */
  readonly digest: string
  /** Whether the file existed before; then `backup` has its content. */
  readonly existed: boolean
  /** The folders that we created, innermost first. */
  readonly folders: readonly string[]
  /** What the client's sandbox keeps from agents, if the project is locked. */
  readonly lock?: Lock | undefined
  /** Path of the original settings. */
  readonly backup: string
}

export const contentDigest = (content: string | Buffer): string => hash('sha256', content)

/** The path of a record without its ending: a readable name and a unique digest. */
function stemOf(home: Home, { client, path }: Pick<Installed, 'client' | 'path'>): string {
  return join(home.folder, 'installed', `${client}-${contentDigest(path).slice(0, 16)}`)
}

export function findInstalled(home: Home, of: Pick<Installed, 'client' | 'path'>): Installed | undefined {
  const found = read(`${stemOf(home, of)}.json`)
  // Without the backup, the settings must not be lost.
  return found?.existed === true && !existsSync(found.backup) ? undefined : found
}

/** The settings before the installation. */
export const originalOf = (installed: Installed | undefined): Buffer | undefined =>
  installed?.existed === true ? readFileSync(installed.backup) : undefined

/** Stores the record before the settings are written, so that a crash loses nothing. */
export function keepInstalled(
  home: Home,
  installed: Omit<Installed, 'backup' | 'existed'>,
  original: Buffer | undefined,
): Installed {
  const stem = stemOf(home, installed)
  preparePrivateFolders(home)
  makeFoldersSync(join(home.folder, 'installed'), 0o700)
  const kept = { ...installed, existed: original !== undefined, backup: `${stem}.original` }
  writeWhole(kept.backup, original ?? '')
  writeWhole(`${stem}.json`, `${JSON.stringify(kept, null, 2)}\n`)
  return kept
}

export function forgetInstalled(home: Home, of: Pick<Installed, 'client' | 'path'>): void {
  const stem = stemOf(home, of)
  for (const ending of ['json', 'original']) rmSync(`${stem}.${ending}`, { force: true })
}

/** All current installations of this home. */
export function allInstalled(home: Home): readonly Installed[] {
  const folder = join(home.folder, 'installed')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => read(join(folder, name)) ?? [])
}

function read(path: string): Installed | undefined {
  if (!existsSync(path)) return undefined
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Installed
  } catch {
    // Without a readable record, our entries are recognized by their form.
    return undefined
  }
}
