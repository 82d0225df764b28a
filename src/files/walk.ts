import type { Dirent } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'

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

/**
 * Finds all files with matching names below a folder. Follows each link once, so that loops end.
 * Folders are read ahead in parallel and visited in order, so that the result is always the same.
 */
export async function walk(
  root: string,
  wanted: RegExp,
  mostFolders = Infinity,
  onFolder: () => void = () => undefined,
): Promise<Walked> {
  const files: string[] = []
  const unread: string[] = []
  const broken: string[] = []
  const seen = new Set<string>()
  const folders = new Map<string, string>()
  const reader = new ReadAhead(mostFolders)
  const visit = async (folder: string, below: string, real: string, depth: number): Promise<void> => {
    if (seen.has(real)) return
    if (depth > DEEPEST || seen.size >= mostFolders) {
      unread.push(folder)
      return
    }
    const entries = await reader.read(folder, depth)
    seen.add(real)
    folders.set(below, real)
    onFolder()
    for (const { name, kind, target } of entries) {
      const path = join(folder, name)
      const inside = below === '' ? name : `${below}/${name}`
      if (kind === 'folder')
        await visit(path, inside, target ?? join(real, name), depth + 1).catch(() => void unread.push(path))
      if (kind === 'file' && wanted.test(name)) files.push(inside)
      if (kind === 'nothing') broken.push(inside)
    }
  }
  await visit(root, '', await realpath(root), 0)
  return { files, folders, unread, broken }
}

interface Entry {
  readonly name: string
  readonly kind: 'folder' | 'file' | 'other' | 'nothing'
  /** The real path of a linked folder; only links need it, and finding it is slow. */
  readonly target?: string
}

/** Reads the folders inside each folder that it has read, a few at once. */
class ReadAhead {
  /** How many more folders may be read before anybody asks for them. */
  #left: number
  #running = 0
  readonly #waiting: (() => void)[] = []
  readonly #known = new Map<string, Promise<readonly Entry[]>>()

  constructor(most: number) {
    this.#left = most
  }

  /** The sorted entries of a folder, without folders that are never of interest. */
  async read(folder: string, depth: number): Promise<readonly Entry[]> {
    const known = this.#known.get(folder) ?? this.#start(folder, depth)
    this.#known.delete(folder)
    return await known
  }

  async #start(folder: string, depth: number): Promise<readonly Entry[]> {
    if (this.#running >= MOST_AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#running++
    const entries = await entriesOf(folder).finally(() => {
      this.#running--
      this.#waiting.shift()?.()
    })
    for (const { name, kind, target } of entries) {
      // A link may lead to a folder that is already read, so it waits for its turn.
      if (kind !== 'folder' || target !== undefined || depth >= DEEPEST || this.#left <= 0) continue
      this.#left--
      const inside = join(folder, name)
      const ahead = this.#start(inside, depth + 1)
      // Whoever asks for the folder gets the error.
      ahead.catch(() => undefined)
      this.#known.set(inside, ahead)
    }
    return entries
  }
}

async function entriesOf(folder: string): Promise<readonly Entry[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const kept = entries.filter(({ name }) => !SKIPPED.has(name)).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return await Promise.all(kept.map((entry) => entryOf(folder, entry)))
}

function entryOf(folder: string, entry: Dirent): Entry | Promise<Entry> {
  const { name } = entry
  if (entry.isSymbolicLink()) return linked(name, join(folder, name))
  return { name, kind: entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other' }
}

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
