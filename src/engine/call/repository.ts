import { parentOf } from '../../model/directive.ts'
import type { Files } from '../../model/files.ts'
import type { Location } from '../../model/project.ts'
import { shellWord } from '../../model/shell/word.ts'
import { absolutePath } from '../../model/text/path.ts'
import type { Context } from './context.ts'

/** The command that registers the project of a path; inside a repository that is its root. */
export async function registering({ files }: Context, path: string): Promise<string> {
  const folder = await folderAround(files, path)
  const { repository } = await locate(files, folder)
  return `holdfast project upsert ${shellWord(repository ?? folder)}`
}

async function folderAround(files: Files, path: string): Promise<string> {
  return path === '/' || (await files.kind(path)) === 'folder'
    ? path
    : await folderAround(files, parentOf(path))
}

/** Finds the checkout around a canonical folder and the repository it belongs to, without running git. */
export async function locate(files: Files, folder: string): Promise<Location> {
  for (let at = folder; at !== '/'; at = parentOf(at)) {
    const kind = await files.kind(`${at}/.git`)
    if (kind === 'folder') return { folder, repository: at, main: at }
    if (kind !== 'missing') return { folder, repository: at, main: await mainOf(files, at) }
  }
  return { folder, repository: undefined, main: undefined }
}

/** The main checkout of a checkout whose `.git` is a file; undefined if that file leads nowhere. */
async function mainOf(files: Files, checkout: string): Promise<string | undefined> {
  const gitdir = await gitdirOf(files, checkout)
  if (gitdir === undefined) return undefined
  const common = await folderNamedIn(files, { folder: gitdir, name: 'commondir', pattern: /^(.+)$/m })
  // A submodule has a folder of its own, which names no common one.
  if (common === undefined || parentOf(gitdir) !== `${common}/worktrees`) return checkout
  if (await isOfAnother(files, gitdir, checkout)) return checkout
  const parent = parentOf(common)
  if (common === `${parent}/.git` || (await gitdirOf(files, parent)) === common) return parent
  // The main checkout of a submodule lies elsewhere.
  const pattern = /^\s*worktree\s*=\s*"?(.+?)"?\s*$/m
  return (await folderNamedIn(files, { folder: common, name: 'config', pattern })) ?? common
}

/** Anybody can write a `.git` file, but the repository names the checkout; a missing one has moved. */
async function isOfAnother(files: Files, gitdir: string, checkout: string): Promise<boolean> {
  const named = await pathNamedIn(files, { folder: gitdir, name: 'gitdir', pattern: /^(.+)$/m })
  return named !== undefined && named !== `${checkout}/.git` && (await files.kind(named)) !== 'missing'
}

const gitdirOf = (files: Files, checkout: string): Promise<string | undefined> =>
  folderNamedIn(files, { folder: checkout, name: '.git', pattern: /^gitdir:\s*(.+)$/m })

/** Git writes short files; a longer one is not ours to read. */
const MOST_BYTES = 65_536

interface Named {
  readonly folder: string
  readonly name: string
  readonly pattern: RegExp
}

async function folderNamedIn(files: Files, named: Named): Promise<string | undefined> {
  const path = await pathNamedIn(files, named)
  return path !== undefined && (await files.kind(path)) === 'folder' ? path : undefined
}

/** The canonical path that a file of git names, absolute or from its own folder. */
async function pathNamedIn(files: Files, { folder, name, pattern }: Named): Promise<string | undefined> {
  try {
    const request = { path: `${folder}/${name}`, root: folder, offset: 0, limit: MOST_BYTES }
    const path = absolutePath(pattern.exec((await files.read(request)).content)?.[1]?.trim() ?? '', folder)
    return path === undefined ? undefined : await files.canonical(path)
  } catch {
    // A file that cannot be read names nothing.
    return undefined
  }
}
