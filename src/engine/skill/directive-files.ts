import {
  type Directive,
  directivePaths,
  directivesFolder,
  foldersUp,
  kindOf,
  parentOf,
  referencePath,
} from '../../model/directive.ts'
import { ownFolder } from '../../model/client-files.ts'
import { EngineError } from '../../model/error.ts'
import { keptText } from '../../model/text/kept.ts'
import { isInside } from '../../model/project.ts'
import type { Reference } from '../../model/text/reference.ts'
import { confine, type Place, refuseOurHome } from '../call/confine.ts'
import type { Context } from '../call/context.ts'

/** A place to work on, with its project root. */
export interface Work extends Place {
  /** The folder itself, or the folder of the file. */
  readonly folder: string
}

/** Resolves a path in a project to a place. */
export async function workplace(context: Context, path: string): Promise<Work> {
  return await workAt(context, await confine(context, path))
}

/** The same for a known place. */
export async function workAt(context: Context, place: Place): Promise<Work> {
  const isFolder = (await context.files.kind(place.path)) === 'folder'
  return { ...place, folder: isFolder ? place.path : parentOf(place.path) }
}

/** The directives that apply, nearest first; each file once, however links reach it. */
export async function directivesFor(
  context: Context,
  { root, folder: nearest }: Pick<Work, 'root' | 'folder'>,
  types: readonly string[],
): Promise<readonly Directive[]> {
  const found = new Map<string, Directive>()
  for (const folder of foldersUp(root, nearest))
    for (const directive of await directivesIn(context, { root, folder, types }))
      if (!found.has(directive.path)) found.set(directive.path, directive)
  return [...found.values()]
}

/** The directives of one folder. */
export async function directivesIn(
  context: Context,
  { root, folder, types }: { root: string; folder: string; types: readonly string[] },
): Promise<readonly Directive[]> {
  const found = await Promise.all(
    types.map(async (name): Promise<readonly Directive[]> => {
      for (const candidate of directivePaths(folder, name)) {
        const path = await fileAt(context, { root, path: candidate })
        if (path === undefined) continue
        const kind = kindOf((await beginningOf(context, { root, path }))?.content ?? '')
        return [{ type: name, path, folder, kind }]
      }
      return []
    }),
  )
  return found.flat()
}

/** The real path of a regular file inside `root`; undefined if a link leads out of it. */
export async function fileAt(
  context: Context,
  { root, path }: { root: string; path: string },
): Promise<string | undefined> {
  if ((await unlessRefused(context.files.kind(path))) !== 'file') return undefined
  const real = await unlessRefused(context.files.canonical(path))
  if (real === undefined || !isInside(root, real)) return undefined
  return await unlessRefused(refuseOurHome(context, real).then(() => real))
}

/** The agent reads longer files itself. */
const LONGEST_TEXT = 8192

/** The text of a file; undefined if it is too long to include. */
export async function textOf(
  context: Context,
  file: { root: string; path: string },
): Promise<string | undefined> {
  const read = await beginningOf(context, file)
  return read === undefined || read.next_offset !== null ? undefined : keptText(read.content, LONGEST_TEXT)
}

const beginningOf = ({ files }: Context, { root, path }: { root: string; path: string }) =>
  unlessRefused(files.read({ path, root, offset: 0, limit: LONGEST_TEXT }))

/** Turns a refusal into undefined, so that one bad file never hides the others. */
export async function unlessRefused<T>(work: Promise<T>): Promise<T | undefined> {
  return await work.catch((error: unknown) => {
    if (error instanceof EngineError) return undefined
    throw error
  })
}

/** A folder to search for a reference. */
export interface SearchedFolder {
  readonly folder: string
  /** Files outside of this folder are ignored. */
  readonly root: string
  readonly exists: boolean
}

/** The folders from the work up to the project root, the user folders of the clients, then the package. */
export async function searchedFolders(
  context: Context,
  { root, folder }: Work,
): Promise<readonly SearchedFolder[]> {
  const { clients, user, packaged } = context
  const own = await Promise.all(
    [...clients.values()].map((client) => ownSearched(context, ownFolder(user, client))),
  )
  const searched = [
    ...foldersUp(root, folder).map((above) => ({ folder: above, root })),
    ...own.flat(),
    { folder: packaged, root: packaged },
  ]
  const kinds = await Promise.all(
    searched.map((one) => unlessRefused(context.files.kind(directivesFolder(one.folder)))),
  )
  return searched.map((one, index) => ({ ...one, exists: kinds[index] === 'folder' }))
}

/** Users may link this folder to another place, so its real path is its own root. */
async function ownSearched(
  { files }: Context,
  folder: string,
): Promise<readonly Pick<SearchedFolder, 'folder' | 'root'>[]> {
  const root = await unlessRefused(files.canonical(directivesFolder(folder)))
  return root === undefined ? [] : [{ folder, root }]
}

interface Located {
  readonly path: string
  readonly folder: string
  readonly root: string
}

export async function locate(
  context: Context,
  searched: readonly SearchedFolder[],
  reference: Reference,
): Promise<Located | undefined> {
  for (const { folder, root, exists } of searched) {
    if (!exists) continue
    const path = await fileAt(context, { root, path: referencePath(folder, reference) })
    if (path !== undefined) return { path, folder, root }
  }
  return undefined
}
