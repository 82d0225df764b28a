import { EngineError } from '../../model/error.ts'
import type { Context } from './context.ts'

/** Where the path in a parameter really leads; a path that leads nowhere is blamed on that parameter. */
export async function canonical({ files }: Context, field: string, path: string): Promise<string> {
  return await files.canonical(path).catch((error: unknown) => {
    if (!(error instanceof EngineError)) throw error
    throw new EngineError(error.code, error.message, { field, cause: error })
  })
}

/** The same of a parameter that may be left out. */
export async function optionalPath(
  context: Context,
  field: string,
  path: string | undefined,
): Promise<string | undefined> {
  return path === undefined ? undefined : await canonical(context, field, path)
}

/** Tasks are stored under the canonical path of their folder, so they are looked for under it too. */
export const taskPath = (context: Context, params: { readonly task_id: string }): Promise<string> =>
  canonical(context, 'task_id', params.task_id)

/** The same where it may be left out. */
export const optionalTaskPath = (
  context: Context,
  { task_id }: { readonly task_id?: string | undefined },
): Promise<string | undefined> => optionalPath(context, 'task_id', task_id)
