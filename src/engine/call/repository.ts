import type { Files } from '../../model/files.ts'
import { shellWord } from '../../model/shell/word.ts'
import type { Context } from './context.ts'

/** The command that registers the project of a path; inside a repository that is its root. */
export async function registering({ files }: Context, path: string): Promise<string> {
  const folder = await folderAround(files, path)
  return `holdfast project upsert ${shellWord((await repositoryAround(files, folder)) ?? folder)}`
}

async function folderAround(files: Files, path: string): Promise<string> {
  return path === '/' || (await files.kind(path)) === 'folder' ? path : await folderAround(files, above(path))
}

/** The root of the repository that contains a canonical folder. */
export async function repositoryAround(files: Files, folder: string): Promise<string | undefined> {
  if (folder === '/') return undefined
  return (await files.kind(`${folder}/.git`)) === 'missing'
    ? await repositoryAround(files, above(folder))
    : folder
}

const above = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf('/')))
