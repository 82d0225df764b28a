import { type Dirent, readdir } from 'node:fs'
import { join } from 'node:path'
import { realpath, stat } from './stat.ts'

const SKIPPED = new Set(['node_modules', '.git', '.hg', '.venv', '__pycache__'])
const DEEPEST = 32
/** Enough to keep the threads of Node busy; more would only hold memory. */
const MOST_AT_ONCE = 32

export interface Walked {
  /** Relative paths, sorted. */
  readonly files: readonly string[]
  /** Every folder that was read, by relative path, with its real path. */
  readonly folders: ReadonlyMap<string, string>
  /** Folders that could not be read, or exceeded the limit. */
  readonly unread: readonly string[]
  /** Broken links, by relative path. */
  readonly broken: readonly string[]
}

interface WalkOptions {
  readonly onFolder?: () => void
  /** Leaves out links, and repositories below the root, which are other projects. */
  readonly isOwnOnly?: boolean
}

/**
 * Finds all files with matching names below a folder. Follows each link once, so that loops end.
 * Folders are read in parallel and then visited in order, so that the result is always the same.
 */
export async function walk(
  root: string,
  wanted: RegExp,
  mostFolders = Infinity,
  { onFolder = () => undefined, isOwnOnly = false }: WalkOptions = {},
): Promise<Walked> {
  const top = await realpath(root)
  const entriesOf = isOwnOnly ? (folder: string) => ownEntriesIn(folder, folder === top) : entriesIn
  const known = await readFolders(top, mostFolders, { onFolder, entriesOf })
  const files: string[] = []
  const unread: string[] = []
  const broken: string[] = []
  const seen = new Set<string>()
  const folders = new Map<string, string>()
  const visit = async (folder: string, below: string, real: string, depth: number): Promise<void> => {
    if (seen.has(real)) return
    if (depth > DEEPEST || seen.size >= mostFolders) {
      unread.push(folder)
      return
    }
    // Beyond the limit, what was read in parallel may not be what comes first.
    const entries = known.get(real) ?? (await entriesOf(real))
    if (entries instanceof Error) {
      unread.push(folder)
      return
    }
    seen.add(real)
    folders.set(below, real)
    for (const { name, kind, target } of entries) {
      const inside = below === '' ? name : `${below}/${name}`
      if (kind === 'folder') await visit(join(folder, name), inside, target ?? join(real, name), depth + 1)
      else if (kind === 'nothing') broken.push(inside)
      else if (kind === 'file' && wanted.test(name)) files.push(inside)
    }
  }
  const start = known.get(top)
  if (start instanceof Error) throw start
  await visit(root, '', top, 0)
  return { files, folders, unread, broken }
}

interface Entry {
  readonly name: string
  readonly kind: 'folder' | 'file' | 'other' | 'nothing'
  /** The real path of a linked folder; only links need it, and finding it is slow. */
  readonly target?: string
}

type Entries = readonly Entry[] | Error

/** Reads a folder and all below it, each real folder once, until enough are read. */
function readFolders(
  top: string,
  most: number,
  { onFolder, entriesOf }: { readonly onFolder: () => void; readonly entriesOf: typeof entriesIn },
): Promise<ReadonlyMap<string, Entries>> {
  const known = new Map<string, Entries>()
  const started = new Set([top])
  const waiting: { readonly folder: string; readonly depth: number }[] = [{ folder: top, depth: 0 }]
  let running = 0
  return new Promise((resolve) => {
    const take = (folder: string, depth: number, entries: Entries) => {
      known.set(folder, entries)
      onFolder()
      for (const { name, kind, target } of entries instanceof Error ? [] : entries) {
        if (kind !== 'folder' || depth >= DEEPEST || started.size >= most) continue
        const inside = target ?? join(folder, name)
        if (started.has(inside)) continue
        started.add(inside)
        waiting.push({ folder: inside, depth: depth + 1 })
      }
      running--
      next()
    }
    const next = () => {
      for (; running < MOST_AT_ONCE; running++) {
        const one = waiting.shift()
        if (one === undefined) break
        void entriesOf(one.folder).then((entries) => take(one.folder, one.depth, entries))
      }
      if (running === 0) resolve(known)
    }
    next()
  })
}

/** The sorted entries of a folder, without folders that are never of interest; never rejects. */
async function entriesIn(folder: string): Promise<Entries> {
  const kept = await sortedIn(folder)
  if (kept instanceof Error) return kept
  const links = kept.filter((entry) => entry.isSymbolicLink())
  if (links.length === 0) return kept.map(entryOf)
  const followed = await Promise.all(links.map(({ name }) => linked(name, join(folder, name))))
  const byName = new Map(followed.map((entry) => [entry.name, entry]))
  return kept.map((entry) => byName.get(entry.name) ?? entryOf(entry))
}

/** The same, with links as something else, and nothing in a repository below the root. */
async function ownEntriesIn(folder: string, isRoot: boolean): Promise<Entries> {
  const entries = await listed(folder)
  if (entries instanceof Error) return entries
  return !isRoot && entries.some(({ name }) => name === '.git') ? [] : sorted(entries).map(entryOf)
}

async function sortedIn(folder: string): Promise<readonly Dirent[] | Error> {
  const entries = await listed(folder)
  return entries instanceof Error ? entries : sorted(entries)
}

const sorted = (entries: readonly Dirent[]): readonly Dirent[] =>
  entries.filter(({ name }) => !SKIPPED.has(name)).toSorted((a, b) => (a.name < b.name ? -1 : 1))

/** With a callback, which costs less than a promise of Node for each of many folders. */
const listed = (folder: string): Promise<readonly Dirent[] | Error> =>
  new Promise((resolve) => {
    readdir(folder, { withFileTypes: true }, (error, entries) => resolve(error ?? entries))
  })

const entryOf = (entry: Dirent): Entry => ({
  name: entry.name,
  kind: entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other',
})

/** A broken link or a loop is nothing. */
async function linked(name: string, path: string): Promise<Entry> {
  try {
    const info = await stat(path)
    if (info.isDirectory()) return { name, kind: 'folder', target: await realpath(path) }
    return { name, kind: info.isFile() ? 'file' : 'other' }
  } catch {
    return { name, kind: 'nothing' }
  }
}
