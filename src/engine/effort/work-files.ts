import { artifactPath, type Effort, type Named } from '../../model/effort.ts'
import { changedMeanwhile } from '../../model/error.ts'
import type { Context } from '../call/context.ts'

/** The files that an effort may write to its task folder: debrief, log and plan. */
const KINDS = [undefined, 'LOG', 'PLAN'] as const

export const artifactPaths = (effort: Named & Pick<Effort, 'task_id'>): readonly string[] =>
  KINDS.map((kind) => artifactPath(effort, kind))

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
