import { ownFolder } from '../../model/client-files.ts'
import { directivesFolder, foldersUp, referencePath } from '../../model/directive.ts'
import type { Reference } from '../../model/text/reference.ts'
import type { Context } from '../call/context.ts'
import { fileAt, unlessRefused, type Work } from './directive-files.ts'

/** A folder to search for references and for files that a skill names. */
export interface SearchedFolder {
  readonly folder: string
  /** Files outside of this folder are ignored. */
  readonly root: string
  /** The same for references; undefined if the folder has no directives. */
  readonly directives: string | undefined
}

/** The folders from the work up to the project root, the user folders of the clients, then the package. */
export async function searchedFolders(
  context: Context,
  { root, folder }: Pick<Work, 'root' | 'folder'>,
): Promise<readonly SearchedFolder[]> {
  const { clients, user, packaged } = context
  const above = foldersUp(root, folder).map((one) => searchedIn(context, one, root))
  const own = [...clients.values()].map((client) => ownSearched(context, ownFolder(user, client)))
  return (await Promise.all([...above, ...own, searchedIn(context, packaged, packaged)])).flatMap(
    (one) => one ?? [],
  )
}

/** A folder whose directives lie inside the same root. */
export async function searchedIn({ files }: Context, folder: string, root: string): Promise<SearchedFolder> {
  const isThere = (await unlessRefused(files.kind(directivesFolder(folder)))) === 'folder'
  return { folder, root, directives: isThere ? root : undefined }
}

/** Users may link this folder and its directives to other places, so their real paths are their own roots. */
async function ownSearched(context: Context, folder: string): Promise<SearchedFolder | undefined> {
  const { files } = context
  const root = await unlessRefused(files.canonical(folder))
  const directives = await unlessRefused(files.canonical(directivesFolder(folder)))
  if (root === undefined || directives === undefined) return undefined
  const searched = await searchedIn(context, folder, root)
  return { ...searched, directives: searched.directives && directives }
}

/** A file, and the folder that it was searched from. */
interface Located {
  readonly path: string
  readonly folder: string
  readonly root: string
}

/** The file of a reference, from the first folder that has it. */
export const locate = (
  context: Context,
  searched: readonly SearchedFolder[],
  reference: Reference,
): Promise<Located | undefined> =>
  firstFile(
    context,
    searched.flatMap(({ folder, directives: root }) =>
      root === undefined ? [] : [{ folder, root, path: referencePath(folder, reference) }],
    ),
  )

/** A file by its relative path, from the first folder that has it. */
export const locateFile = (
  context: Context,
  searched: readonly SearchedFolder[],
  name: string,
): Promise<Located | undefined> =>
  firstFile(
    context,
    searched.map(({ folder, root }) => ({ folder, root, path: `${folder}/${name}` })),
  )

async function firstFile(context: Context, wanted: readonly Located[]): Promise<Located | undefined> {
  for (const one of wanted) {
    const path = await fileAt(context, one)
    if (path !== undefined) return { ...one, path }
  }
  return undefined
}
