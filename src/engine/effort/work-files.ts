import { artifactPath, type Effort } from '../../model/effort.ts'
import { changedMeanwhile } from '../../model/error.ts'
import type { Context } from '../call/context.ts'

/** The files that every effort may leave in the folder of its task: its debrief, its log and its plan. */
const KINDS = [undefined, 'LOG', 'PLAN'] as const

type Named = Pick<Effort, 'ordinal' | 'skill' | 'task_id'>

export const artifactPaths = (effort: Named): readonly string[] =>
  KINDS.map((kind) => artifactPath(effort, kind))

/** Which files were there when they were looked for, before the transaction began. */
export type Seen = ReadonlyMap<string, boolean>

export async function lookFor({ files }: Context, paths: readonly string[]): Promise<Seen> {
  const found = [...new Set(paths)].map(async (path) => [path, (await files.kind(path)) === 'file'] as const)
  return new Map(await Promise.all(found))
}

/** Whether each of these is there; nobody answers for what nobody has looked for. */
export function sortOut(seen: Seen, paths: readonly string[]) {
  if (paths.some((path) => !seen.has(path))) throw changedMeanwhile()
  return {
    present: paths.filter((path) => seen.get(path) === true),
    missing: paths.filter((path) => seen.get(path) === false),
  }
}
