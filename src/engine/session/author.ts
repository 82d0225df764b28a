import type { Effort } from '../../model/effort.ts'
import type { Tx } from '../../store/query.ts'
import { findLastByNative, newestSessionOf } from '../../store/session.ts'

/** The caller's window, because several windows may serve an effort without a skill; else the newest one. */
export async function authorOf(tx: Tx, effort: Effort, native_id: string | undefined) {
  const own = native_id === undefined ? undefined : await findLastByNative(tx, { native_id })
  return own?.effort_id === effort.id ? own : await newestSessionOf(tx, { effort_id: effort.id })
}
