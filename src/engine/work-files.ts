import { artifactPath, type Effort } from '../model/effort.ts'
import { EngineError } from '../model/error.ts'
import type { Context } from './context.ts'

/** The files that every effort may leave in the folder of its task: its debrief, its log and its plan. */
const KINDS = [undefined, 'LOG', 'PLAN'] as const

type Named = Pick<Effort, 'ordinal' | 'skill' | 'task_id'>

export const artifactPaths = (effort: Named): readonly string[] =>
  KINDS.map((kind) => artifactPath(effort, kind))

/** Which files were there when they were looked for, before the transaction began. */
export interface Seen {
  /** Of a path that nobody has looked for nothing is said. */
  isThere(path: string): boolean
}

export async function lookFor({ files }: Context, paths: readonly string[]): Promise<Seen> {
  const kinds = await Promise.all(
    [...new Set(paths)].map(async (path) => [path, await files.kind(path)] as const),
  )
  const seen = new Map(kinds)
  return {
    isThere(path) {
      const kind = seen.get(path)
      if (kind === undefined) throw changedMeanwhile()
      return kind === 'file'
    },
  }
}

const changedMeanwhile = () =>
  new EngineError('conflict', 'The work has changed while it was looked at; nothing was done.', {
    hint: 'Make the call again.',
  })
