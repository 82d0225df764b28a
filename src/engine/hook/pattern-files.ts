import type { Files } from '../../model/files.ts'
import { matchesGlob } from '../../model/text/glob.ts'

/** The files that a pattern of a shell command matches. */
export interface PatternFiles {
  /** The folder before the first wildcard, by its real path. */
  readonly folder: string
  readonly files: readonly string[]
  /** False if there are too many folders or files to look at all of them. */
  readonly isAll: boolean
}

export const isPattern = (path: string): boolean => WILDCARD.test(path)

const WILDCARD = /[*?[]/
const MOST = { files: 1000, folders: 300 }

/** Looks for the files that match a pattern, in which `**` stands for any folders. */
export async function filesMatching(disk: Files, pattern: string): Promise<PatternFiles> {
  const parts = pattern.split('/')
  const first = parts.findIndex((part) => WILDCARD.test(part))
  const fixed = parts.slice(0, first).join('/') || '/'
  const folder = await disk.canonical(fixed).catch(() => fixed)
  const files: string[] = []
  let folders = 0
  const isFull = () => files.length >= MOST.files || folders >= MOST.folders
  const list = async (path: string, kind: 'file' | 'folder') => {
    if (isFull()) return []
    folders++
    return await disk.list({ path, root: folder, kind }).catch(() => [])
  }
  const look = async (path: string, [head = '', ...rest]: readonly string[]): Promise<void> => {
    if (head === '**') {
      await look(path, rest)
      for (const name of await list(path, 'folder'))
        if (!UNMEANT.has(name)) await look(`${path}/${name}`, [head, ...rest])
      return
    }
    const names = await list(path, rest.length === 0 ? 'file' : 'folder')
    for (const name of names.filter((one) => matchesGlob(head, one)))
      if (rest.length === 0) files.push(`${path}/${name}`)
      else await look(`${path}/${name}`, rest)
  }
  await look(folder === '/' ? '' : folder, parts.slice(first))
  return { folder, files: files.slice(0, MOST.files), isAll: !isFull() }
}

/** Folders that nobody holds back and that have very many files. */
const UNMEANT: ReadonlySet<string> = new Set(['.git', 'node_modules'])
