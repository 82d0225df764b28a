import { artifactPath, type Effort, type Named, WANTED_FILES, wantedPath } from '../../model/effort.ts'
import { AUTHORS, type KeptDehydration } from '../../model/dehydration.ts'
import { changedMeanwhile } from '../../model/error.ts'
import type { Context } from '../call/context.ts'

/** The files that an effort may write to its task folder. */
export const artifactPaths = (effort: Named & Pick<Effort, 'task_id'>): readonly string[] =>
  WANTED_FILES.map((kind) => wantedPath(effort, kind))

/** The files that may be told of an effort: of a finished one only its debrief. */
export const toldPaths = (effort: Effort): readonly string[] =>
  effort.lifecycle === 'finished' ? [artifactPath(effort)] : artifactPaths(effort)

/** Which files existed before the transaction. */
export type Seen = ReadonlyMap<string, boolean>

export async function lookFor({ files }: Context, paths: readonly string[]): Promise<Seen> {
  const found = [...new Set(paths)].map(async (path) => [path, (await files.kind(path)) === 'file'] as const)
  return new Map(await Promise.all(found))
}

/** Splits paths into present and missing; a path that was not checked is an error. */
export function sortOut(seen: Seen, paths: readonly string[]) {
  if (paths.some((path) => !seen.has(path))) throw changedMeanwhile()
  return {
    present: paths.filter((path) => seen.get(path) === true),
    missing: paths.filter((path) => seen.get(path) === false),
  }
}

/** The paths that notes require, those of the agent first. */
export function requiredIn(
  notes: readonly Pick<KeptDehydration, 'author' | 'payload'>[],
  place: { readonly root: string; readonly home: string },
): readonly string[] {
  const names = AUTHORS.flatMap((author) =>
    notes.filter((note) => note.author === author).flatMap(({ payload }) => payload.requiredFiles ?? []),
  )
  return [...new Set(names.slice(0, MOST_FILES).map((name) => whereIs(name, place)))]
}

const MOST_FILES = 50

function whereIs(name: string, { root, home }: { readonly root: string; readonly home: string }): string {
  if (name.startsWith('/')) return name
  return name.startsWith('~/') ? `${home}${name.slice(1)}` : `${root}/${name}`
}
