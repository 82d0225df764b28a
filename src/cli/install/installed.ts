import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Home, preparePrivateFolders } from '../../daemon/home.ts'
import { writeWhole } from '../../daemon/write-whole.ts'
import type { Scope } from '../../model/client-settings.ts'

/** What is kept of settings that we changed, so that they can be brought back. */
export interface Installed {
  readonly client: string
  readonly scope: Scope
  readonly path: string
  /** Of what we wrote: with any other the user has changed the file since. */
  readonly digest: string
  /** Whether there were settings before; they are in `backup`. */
  readonly existed: boolean
  /** The folders that we made, the innermost first. */
  readonly folders: readonly string[]
  /** Where the settings lie as they were. */
  readonly backup: string
}

export const digestOf = (content: string | Buffer): string => hash('sha256', content)

/** Where the installation into one file is kept; a name for people, and what makes it its own. */
function placeOf(home: Home, { client, path }: Pick<Installed, 'client' | 'path'>): string {
  return join(home.folder, 'installed', `${client}-${digestOf(path).slice(0, 16)}`)
}

export function findInstalled(home: Home, of: Pick<Installed, 'client' | 'path'>): Installed | undefined {
  const found = read(`${placeOf(home, of)}.json`)
  // Whoever removed the backup must not lose their settings by it.
  return found?.existed === true && !existsSync(found.backup) ? undefined : found
}

/** The settings as they were before us. */
export const originalOf = (installed: Installed | undefined): Buffer | undefined =>
  installed?.existed === true ? readFileSync(installed.backup) : undefined

/** Kept before the settings are written: what is lost in between is then nothing. */
export function keepInstalled(
  home: Home,
  installed: Omit<Installed, 'backup' | 'existed'>,
  original: Buffer | undefined,
): Installed {
  const place = placeOf(home, installed)
  preparePrivateFolders(home)
  mkdirSync(join(home.folder, 'installed'), { recursive: true, mode: 0o700 })
  const kept = { ...installed, existed: original !== undefined, backup: `${place}.original` }
  writeWhole(kept.backup, original ?? '')
  writeWhole(`${place}.json`, `${JSON.stringify(kept, null, 2)}\n`)
  return kept
}

export function forgetInstalled(home: Home, of: Pick<Installed, 'client' | 'path'>): void {
  const place = placeOf(home, of)
  for (const ending of ['json', 'original']) rmSync(`${place}.${ending}`, { force: true })
}

/** Everything that was installed by this home and not taken out by it again. */
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
    // A file that was damaged says nothing, and then ours is found by its form.
    return undefined
  }
}
