import { EngineError } from '../../model/error.ts'
import { type Level, LEVELS } from '../../model/level.ts'
import { findProjectOfTask } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import { findLastByNative } from '../../store/session.ts'
import { levelInForce } from '../../store/setting.ts'
import { placeOfSession } from '../../store/workplace.ts'
import type { Context } from '../call/context.ts'

/** The level that holds a session, by the project that it works in. */
export async function levelOfSession(
  tx: Tx,
  session: { readonly id: number },
  { pausedUntil }: Pick<Context, 'pausedUntil'>,
): Promise<Level> {
  const place = await placeOfSession(tx, session)
  return await levelInForce(tx, place?.level, pausedUntil() !== undefined)
}

/** A session that moved to a project with a lower level would loosen its own rules. */
export async function keepLevel(
  tx: Tx,
  { native_id, task_id }: { readonly native_id?: string | undefined; readonly task_id: string },
  context: Context,
): Promise<void> {
  const window = native_id === undefined ? undefined : await findLastByNative(tx, { native_id })
  if (window === undefined) return
  const now = await levelOfSession(tx, window, context)
  const project = await findProjectOfTask(tx, { dir_path: task_id })
  const then = await levelInForce(tx, project?.level, false)
  if (LEVELS.indexOf(then) >= LEVELS.indexOf(now)) return
  throw new EngineError(
    'refused',
    `This session is held at level ${now}, and ${task_id} is in a project at level ${then}. Next: ask the user to start a session there.`,
  )
}
