import { isUtf8 } from 'node:buffer'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Disk } from '../../skills/disk.ts'

/** Outside of a repository, a plugin or client folder may still be this far above a skill. */
const ABOVE_WITHOUT_REPOSITORY = 3

/** The files around the skills of a folder; each path is looked up once, and none in a folder that is missing. */
export function diskAt(root: string): Disk {
  const known = new Map<string, boolean>()
  const exists = (path: string): boolean => {
    const before = known.get(path)
    if (before !== undefined) return before
    const folder = dirname(path)
    const isThere = (folder === '.' || folder === path || exists(folder)) && existsSync(join(root, path))
    known.set(path, isThere)
    return isThere
  }
  return { exists, isUtf8: (path) => isUtf8(readFileSync(join(root, path))), above: foldersAbove(root) }
}

/** The same for skills with absolute paths. */
export const wholeDisk = (): Disk => ({ ...diskAt('/'), above: 0 })

function foldersAbove(root: string): number {
  let count = 0
  for (let folder = root; ; folder = dirname(folder), count++) {
    if (existsSync(join(folder, '.git'))) return count
    if (dirname(folder) === folder) return Math.min(count, ABOVE_WITHOUT_REPOSITORY)
  }
}
