import { isUtf8 } from 'node:buffer'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { packagedContents } from '../../daemon/packaged.ts'
import { configFolder } from '../../daemon/standard-folder.ts'
import type { Environment } from '../../model/client-files.ts'
import type { Disk } from '../../skills/disk.ts'

/** Outside of a repository, a plugin or client folder may still be this far above a skill. */
const ABOVE_WITHOUT_REPOSITORY = 3

/** The files around the skills of a folder; each path is looked up once, and none in a folder that is missing. */
export function diskAt(root: string, env: Environment): Disk {
  const known = new Map<string, boolean>()
  const exists = (path: string): boolean => {
    const before = known.get(path)
    if (before !== undefined) return before
    const folder = dirname(path)
    const isThere = (folder === '.' || folder === path || exists(folder)) && existsSync(resolve(root, path))
    known.set(path, isThere)
    return isThere
  }
  return {
    exists,
    isUtf8: (path) => isUtf8(readFileSync(join(root, path))),
    textFolders: [configFolder(env), packagedContents()],
    above: foldersAbove(root),
  }
}

/** The same for skills with absolute paths. */
export const wholeDisk = (env: Environment): Disk => ({ ...diskAt('/', env), above: 0 })

function foldersAbove(root: string): number {
  let count = 0
  for (let folder = root; ; folder = dirname(folder), count++) {
    if (existsSync(join(folder, '.git'))) return count
    if (dirname(folder) === folder) return Math.min(count, ABOVE_WITHOUT_REPOSITORY)
  }
}
