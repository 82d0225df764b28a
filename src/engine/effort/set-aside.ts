import { type Effort, resumeCommand } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import { otherWindowsOf } from '../../store/holder.ts'
import type { Tx } from '../../store/query.ts'
import { findOpenByNative, findSession, type SessionRow } from '../../store/session.ts'

/** The open session that began or continued an effort last, while it serves another one. */
export async function setAsideBy(
  tx: Tx,
  { id, last_session_id: last }: Effort,
): Promise<SessionRow | undefined> {
  const native_id = last === null ? null : (await findSession(tx, { id: last }))?.native_id
  const window = native_id == null ? undefined : await findOpenByNative(tx, { native_id })
  if (window === undefined || window.effort_id === id) return undefined
  // A session returns to the efforts of its suspended skills by itself.
  const served = await otherWindowsOf(tx, { effort_id: id, native_id: '' })
  return served.length > 0 ? undefined : window
}

/** The efforts among these that the caller's own session set aside. */
export async function setAsideOf(
  tx: Tx,
  efforts: readonly Effort[],
  { native_id }: { readonly native_id?: string | undefined },
): Promise<readonly Effort[]> {
  if (native_id === undefined) return []
  const found: Effort[] = []
  for (const one of efforts) if ((await setAsideBy(tx, one))?.native_id === native_id) found.push(one)
  return found
}

/** Says that a command without a number means no effort that was set aside. */
export function onlySetAside(efforts: readonly Effort[]): EngineError {
  const list = efforts.map(({ id, skill }) => `${id} (${skill})`).join(', ')
  const are = efforts.length === 1 ? `Effort ${list} is` : `Efforts ${list} are`
  const message = `You work on no effort now. ${are} set aside in this session; continue only if the user asks for it.`
  return new EngineError('conflict', message, {
    field: 'effort_id',
    hint: resumeCommand({ id: efforts[0]?.id ?? 0 }),
  })
}
