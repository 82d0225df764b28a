import { hash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { VERSION } from '../../daemon/version.ts'
import { writeWhole } from '../../daemon/write-whole.ts'
import { type Scope, SCOPES } from '../../model/client-settings.ts'
import { isNewer } from '../../model/version.ts'

/** Beside the files that it lists, so that it goes where they go. */
export const KEPT_FILE = '.holdfast.json'

/** Which files of a folder are ours, as we wrote them. */
export interface Kept {
  readonly version: string
  readonly scope: Scope
  /** The agents that a skill hands work to. */
  readonly agents: readonly string[]
  /** The digests of each file; two while a file is being replaced. */
  readonly files: Readonly<Record<string, readonly string[]>>
}

/** What we keep in a folder; undefined if nothing, or if nobody can tell. */
export function keptIn(folder: string): Kept | undefined {
  const path = join(folder, KEPT_FILE)
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined
  try {
    const { version, scope, agents, files } = JSON.parse(readFileSync(path, 'utf8')) as Kept
    if (!SCOPES.includes(scope)) return undefined
    // Anybody may have written it, so no path may lead out of the folder.
    const own = Object.entries(files).filter(([name, all]) => isBelow(name) && Array.isArray(all))
    const named = Array.isArray(agents) ? agents.filter((name) => typeof name === 'string') : []
    return { version, scope, agents: named, files: Object.fromEntries(own) }
  } catch {
    return undefined
  }
}

const isBelow = (path: string): boolean =>
  !path.startsWith('/') && path.split('/').every((part) => !['', '.', '..'].includes(part))

export const keptText = (kept: Kept): string => `${JSON.stringify(kept, null, 2)}\n`

export const writeKept = (folder: string, kept: Kept): void =>
  writeWhole(join(folder, KEPT_FILE), keptText(kept), 0o644)

/** Stands for a link or folder in the place of our file, or a link above it. */
export const NO_FILE = 'no file'

/** The digest of a file, whose path below a folder contains no link; undefined if there is nothing. */
export function digestAt(folder: string, path: string): string | undefined {
  const parts = path.split('/')
  for (let depth = 1; depth <= parts.length; depth++) {
    const info = lstatSync(join(folder, ...parts.slice(0, depth)), { throwIfNoEntry: false })
    if (info === undefined) return undefined
    if (depth < parts.length ? !info.isDirectory() : !info.isFile()) return NO_FILE
  }
  return hash('sha256', readFileSync(join(folder, path)))
}

/** The files of a skill of the package, with their digests. */
export const digestsOf = (source: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(source, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(source, join(entry.parentPath, entry.name)))
      .toSorted()
      .map((path) => [path, digestAt(source, path) ?? '']),
  )

/**
 * Where our files stand against those of the package. `changed` are those that somebody has written to since, or in
 * whose place somebody has a file; `gone` are missing.
 */
export interface Standing {
  readonly state: 'missing' | 'foreign' | 'current' | 'older' | 'newer' | 'changed'
  readonly changed: readonly string[]
  readonly gone: readonly string[]
}

const is = (state: Standing['state']): Standing => ({ state, changed: [], gone: [] })

/** Where the installed copy of a skill stands; a link is nobody’s copy. */
export function skillStanding(source: string | undefined, place: string): Standing {
  const info = lstatSync(place, { throwIfNoEntry: false })
  if (info === undefined) return is('missing')
  const kept = info.isDirectory() ? keptIn(place) : undefined
  return kept === undefined
    ? is('foreign')
    : standing(place, kept, source === undefined ? new Map() : digestsOf(source))
}

/** The same for one agent in the folder of agents. */
export function agentStanding(source: string, place: string): Standing {
  const [folder, file] = [join(place, '..'), place.slice(place.lastIndexOf('/') + 1)]
  const there = lstatSync(place, { throwIfNoEntry: false })
  const kept = keptIn(folder)
  const digests = kept?.files[file]
  if (there === undefined) return digests === undefined ? is('missing') : { ...is('missing'), gone: [file] }
  if (kept === undefined || digests === undefined) return is('foreign')
  const ours = existsSync(source) ? [[file, hash('sha256', readFileSync(source))] as const] : []
  return standing(folder, { ...kept, files: { [file]: digests } }, new Map(ours))
}

function standing(folder: string, kept: Kept, ours: ReadonlyMap<string, string>): Standing {
  const names = [...new Set([...Object.keys(kept.files), ...ours.keys()])]
  const there = new Map(names.map((name) => [name, digestAt(folder, name)]))
  const changed = names.filter((name) => {
    const digest = there.get(name)
    return digest !== undefined && digest !== ours.get(name) && kept.files[name]?.includes(digest) !== true
  })
  const gone = Object.keys(kept.files).filter((name) => there.get(name) === undefined)
  const isCurrent = names.every((name) => there.get(name) === ours.get(name))
  const rest = isCurrent ? 'current' : isNewer(kept.version, VERSION) ? 'newer' : 'older'
  return { state: changed.length > 0 ? 'changed' : rest, changed, gone }
}
