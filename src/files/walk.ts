import { join } from 'node:path'
import { readdir, realpath, stat } from './stat.ts'

const SKIPPED = new Set(['node_modules', '.git', '.hg', '.venv', '__pycache__'])
const DEEPEST = 32

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

/** Finds all files with matching names below a folder. Follows each link once, so that loops end. */
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
        // Only links need realpath, which is as slow as reading the folder.
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

/** The kind of a link's target; a broken link or a loop is nothing. */
async function linkedKind(path: string): Promise<'folder' | 'file' | 'other' | 'nothing'> {
  try {
    const info = await stat(path)
    return info.isDirectory() ? 'folder' : info.isFile() ? 'file' : 'other'
  } catch {
    return 'nothing'
  }
}
