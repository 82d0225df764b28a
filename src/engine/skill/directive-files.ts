import { type Directive, directivePaths, foldersUp, kindOf, parentOf } from '../../model/directive.ts'
import { EngineError } from '../../model/error.ts'
import { keptText } from '../../model/text/kept.ts'
import { isInside } from '../../model/project.ts'
import { confine, type Place, refuseOurHome } from '../call/confine.ts'
import type { Context } from '../call/context.ts'

/** A place to work on, with its project root. */
export interface Work extends Place {
  /** The folder itself, or the folder of the file. */
  readonly folder: string
}

/** The place of a path in a project. */
export async function workAtPath(context: Context, path: string): Promise<Work> {
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
