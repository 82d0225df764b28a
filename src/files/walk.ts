import { readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'

const SKIPPED = new Set(['node_modules', '.git', '.hg', '.venv', '__pycache__'])
const DEEPEST = 32

export interface Walked {
  /** Paths below the root, in order. */
  readonly files: readonly string[]
  /** Every folder that was looked into, by its path below the root, and where it really is. */
  readonly folders: ReadonlyMap<string, string>
  /** Folders that could not be looked into, or came after the limit. */
  readonly unread: readonly string[]
  /** Links that lead nowhere, by their paths below the root. */
  readonly broken: readonly string[]
}

/** All files below a folder whose names end so. Links are followed once, so that loops end; `onFolder` hears of each. */
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
  const visit = async (folder: string, below: string, real: string, depth: number): Promise<void> => {
    if (seen.has(real)) return
    if (depth > DEEPEST || seen.size >= mostFolders) {
      unread.push(folder)
      return
    }
    const entries = await readdir(folder, { withFileTypes: true })
    seen.add(real)
    folders.set(below, real)
    onFolder()
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name)
      const name = below === '' ? entry.name : `${below}/${entry.name}`
      const isLink = entry.isSymbolicLink()
      const kind = isLink
        ? await linkedKind(path)
        : entry.isDirectory()
          ? 'folder'
          : entry.isFile()
            ? 'file'
            : 'other'
      if (kind === 'folder' && !SKIPPED.has(entry.name))
        // Only a link leads elsewhere, and asking where is as slow as looking.
        await visit(path, name, isLink ? await realpath(path) : join(real, entry.name), depth + 1).catch(
          () => void unread.push(path),
        )
      if (kind === 'file' && wanted.test(entry.name)) files.push(name)
      if (kind === 'nothing') broken.push(name)
    }
  }
  await visit(root, '', await realpath(root), 0)
  return { files, folders, unread, broken }
}

/** What a link leads to; one that leads nowhere or round in a circle is nothing. */
async function linkedKind(path: string): Promise<'folder' | 'file' | 'other' | 'nothing'> {
  try {
    const info = await stat(path)
    return info.isDirectory() ? 'folder' : info.isFile() ? 'file' : 'other'
  } catch {
    return 'nothing'
  }
}
