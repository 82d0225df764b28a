import { EngineError } from '../../model/error.ts'
import type { Context } from './context.ts'

/** The real location of a path parameter; an error names the parameter. */
export async function canonical({ files }: Context, field: string, path: string): Promise<string> {
  return await files.canonical(path).catch((error: unknown) => {
    if (!(error instanceof EngineError)) throw error
    throw new EngineError(error.code, error.message, { field, cause: error })
  })
}

/** The same for an optional parameter. */
export async function optionalPath(
  context: Context,
  field: string,
  path: string | undefined,
): Promise<string | undefined> {
  return path === undefined ? undefined : await canonical(context, field, path)
}

/** Tasks are stored and found by the canonical path of their folder. */
export const taskPath = (context: Context, params: { readonly task_id: string }): Promise<string> =>
  canonical(context, 'task_id', params.task_id)

/** The same for an optional task. */
export const optionalTaskPath = (
  context: Context,
  { task_id }: { readonly task_id?: string | undefined },
): Promise<string | undefined> => optionalPath(context, 'task_id', task_id)
