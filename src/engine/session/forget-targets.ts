import { randomBytes } from 'node:crypto'
import { EngineError } from '../../model/error.ts'
import type { Forgotten } from '../../store/forget.ts'
import type { Targets } from '../../store/forget-all.ts'
import type { SessionTarget } from '../../store/forget-session.ts'
import { findSalt, foldersOfProject, type ForgottenMark, nativesOfProject } from '../../store/forgotten.ts'
import { record } from '../../store/ledger.ts'
import type { Tx } from '../../store/query.ts'
import { findSession, lastWindowsOfNative, openSessionsIn } from '../../store/session.ts'
import { forgottenDigest, markOfText } from './forgotten.ts'

/** What a user wants to be forgotten. */
export type Wanted =
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'project'; readonly id: number }
  | { readonly kind: 'text'; readonly text: string }

/** What is to be deleted, and the marks that keep it from coming back; nothing that is open. */
export async function targetsOf(tx: Tx, wanted: Wanted, now: string): Promise<Targets> {
  const salt = (await findSalt(tx)) ?? randomBytes(16).toString('hex')
  const mark = (kind: 'session' | 'folder', what: string): ForgottenMark => ({
    kind,
    digest: forgottenDigest(salt, kind, what),
    until: now,
  })
  if (wanted.kind === 'text') {
    return { sessions: [], folders: [], text: wanted.text, salt, marks: [markOfText(salt, wanted.text, now)] }
  }
  if (wanted.kind === 'session') {
    const target = await sessionMeant(tx, wanted.id)
    const natives = 'native' in target ? [target.native] : []
    return { sessions: [target], folders: [], salt, marks: natives.map((native) => mark('session', native)) }
  }
  const [open] = await openSessionsIn(tx, { project_id: wanted.id })
  if (open !== undefined) throw stillOpen(open.id)
  const folders = (await foldersOfProject(tx, { id: wanted.id })).map(({ path }) => path)
  const natives = (await nativesOfProject(tx, { id: wanted.id })).map(({ native }) => native)
  return {
    sessions: [],
    folders,
    salt,
    marks: [
      ...folders.map((folder) => mark('folder', folder)),
      ...natives.map((native) => mark('session', native)),
    ],
  }
}

/** A number means our id of a session, if there is one; anything else is the client's. */
async function sessionMeant(tx: Tx, id: string): Promise<SessionTarget> {
  const row = /^\d{1,15}$/.test(id) ? await findSession(tx, { id: Number(id) }) : undefined
  const native = row === undefined ? id : (row.native_id ?? undefined)
  const windows = native === undefined ? [row] : await lastWindowsOfNative(tx, { native_id: native })
  const open = windows.find((window) => window?.ended_at === null)
  if (open !== undefined) throw stillOpen(open.id)
  return native === undefined ? { window: row?.id ?? 0 } : { native }
}

const stillOpen = (id: number) =>
  new EngineError('conflict', `Session ${id} is open. Close its client, or end the session.`, {
    hint: `holdfast session finish ${id}`,
  })

/** Records that something was forgotten, and not what. */
export const tellForgotten = (tx: Tx, counts: Forgotten, at: { readonly id: string; readonly now: string }) =>
  record(tx, { event_type: 'memory.forgotten', payload: { ...counts } }, at)
