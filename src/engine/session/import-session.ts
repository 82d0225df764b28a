import { EngineError } from '../../model/error.ts'
import { innermost, isInside, type Location, rootOf } from '../../model/project.ts'
import { parentOf } from '../../model/directive.ts'
import type { NewMessage } from '../../model/transcript.ts'
import { ensureAdHocEffort } from '../../store/effort.ts'
import { insertImported, knownOf, type KnownSession, lockImport, moveImported } from '../../store/imported.ts'
import { insertMessages } from '../../store/message.ts'
import type { Tx } from '../../store/query.ts'
import { findTask } from '../../store/task.ts'
import { listRoots } from '../../store/workplace.ts'
import type { Context } from '../call/context.ts'
import type { Call } from '../call/method.ts'
import { locate } from '../call/repository.ts'
import { findOrMakeAdHoc } from '../effort/ad-hoc.ts'
import { keepTask } from '../skill/arrival.ts'
import { enter } from '../skill/entry.ts'
import { forgottenOf } from './forgotten.ts'

/** The folder of an earlier session as its transcript names it, and where it lies on the disk now. */
export interface FormerPlace {
  readonly cwd: string
  /** Undefined if no folder above it tells its project any more. */
  readonly at: Location | undefined
}

/** Finds the checkout around a folder that may be gone, such as a removed worktree inside its repository. */
export async function formerPlace({ files, daemon }: Context, cwd: string): Promise<FormerPlace> {
  let folder = cwd
  while (folder !== '/' && (await files.kind(folder)) !== 'folder') folder = parentOf(folder)
  const real = await files.canonical(folder).catch(() => '/')
  const home = await files.canonical(daemon.status().home)
  if (real === '/' || isInside(home, real)) return { cwd, at: undefined }
  const at = await locate(files, real)
  return { cwd, at: folder === cwd || at.repository !== undefined ? at : undefined }
}

/** Whether a session can be imported, and how far it is. */
export type ImportState = 'new' | 'begun' | 'recorded' | 'forgotten' | 'gone' | 'elsewhere'

interface Asked {
  readonly session: string
  readonly place: FormerPlace
  readonly known: KnownSession | undefined
  readonly scope: Location | undefined
}

/** How a session stands that somebody wants to import into one project, or into the one that it worked in. */
export async function importState(
  tx: Tx,
  { session, place, known, scope }: Asked,
  { machine }: Context,
): Promise<{ readonly state: ImportState; readonly project: string | null }> {
  const roots = await listRoots(tx, machine)
  const at = place.at ?? knownAround(roots, place.cwd)
  if (at === undefined) return { state: 'gone', project: null }
  const { project } = rootOf(roots, at)
  if (scope !== undefined && rootOf(roots, scope).project !== project) return { state: 'elsewhere', project }
  if (known !== undefined) return { state: known.imported_at === null ? 'recorded' : 'begun', project }
  const isForgotten = await forgottenOf(tx, { sessions: [session], folders: [] })
  return { state: isForgotten({ session, content: '', at: LATEST }) ? 'forgotten' : 'new', project }
}

/** After every moment that is forgotten in part. */
const LATEST = '9999'

/** A folder that is gone still belongs to the project that was registered around it. */
function knownAround(roots: Parameters<typeof rootOf>[0], cwd: string): Location | undefined {
  const known = innermost(roots, cwd)
  return known === undefined ? undefined : { folder: known.path, repository: undefined, main: undefined }
}

/** A part of a transcript, with the bytes that it stands for. */
export interface ImportedPart {
  readonly client: string
  readonly session: string
  readonly transcript: string
  readonly place: FormerPlace
  readonly from: number
  readonly to: number
  readonly messages: readonly NewMessage[]
}

/** What became of a part. */
export interface PartResult {
  readonly state: 'imported' | 'recorded' | 'forgotten' | 'moved' | 'gone'
  /** How far the transcript is imported. */
  readonly offset: number
  readonly stored: number
  /** Messages that were forgotten before. */
  readonly left_out: number
  readonly project_id: number | null
}

/** Stores a part of a transcript, if nothing else was imported since its beginning. */
export async function importPart(tx: Tx, part: ImportedPart, call: Call): Promise<PartResult> {
  const { session, from, to, place } = part
  await lockImport(tx, session)
  const [known] = await knownOf(tx, [session])
  const nothing = { offset: from, stored: 0, left_out: 0, project_id: null }
  if (known?.imported_at === null) return { ...nothing, state: 'recorded' }
  if (known !== undefined && known.transcript_offset !== from)
    return { ...nothing, state: 'moved', offset: known.transcript_offset }
  const roots = await listRoots(tx, call.context.machine)
  const at = place.at ?? knownAround(roots, place.cwd)
  if (at === undefined) return { ...nothing, state: 'gone' }
  const { path } = rootOf(roots, at)
  const isForgotten = await forgottenOf(tx, {
    sessions: [session, ...part.messages.flatMap(({ origin }) => origin ?? [])],
    folders: [place.cwd, at.folder, path],
  })
  const messages = part.messages.filter((message) => !isForgotten({ ...message, session }))
  const left_out = part.messages.length - messages.length
  const first = messages[0]
  if (known === undefined && first === undefined)
    return { ...nothing, state: left_out > 0 ? 'forgotten' : 'imported', left_out }
  const opened = known ?? (await open(tx, { part, at, began_at: first?.at ?? call.now }, call))
  const ended_at = messages.at(-1)?.at
  const moved = await moveImported(tx, {
    id: opened.id,
    from: known === undefined ? 0 : from,
    to,
    ended_at: ended_at ?? null,
    now: call.now,
  })
  if (moved === undefined) throw new EngineError('conflict', `Session ${session} is imported twice at once.`)
  await insertMessages(tx, opened.id, messages)
  await call.record(tx, {
    event_type: 'session.imported',
    window_id: opened.id,
    payload: { messages: messages.length },
  })
  return { state: 'imported', offset: to, stored: messages.length, left_out, project_id: opened.project_id }
}

async function open(
  tx: Tx,
  { part, at, began_at }: { part: ImportedPart; at: Location; began_at: string },
  call: Call,
) {
  const roots = await listRoots(tx, call.context.machine)
  const { place } = await enter(tx, rootOf(roots, at), call, { known: roots })
  const task = await findTask(tx, { dir_path: place.root })
  if (task?.project_id !== place.id) await keepTask(tx, { dir_path: place.root, place }, call)
  else await ensureAdHocEffort(tx, { task_id: place.root, workplace_id: place.workplace_id, now: call.now })
  const effort = await findOrMakeAdHoc(tx, place.root, call)
  const made = await insertImported(tx, {
    task_id: place.root,
    effort_id: effort.id,
    workplace_id: place.workplace_id,
    native_id: part.session,
    client: part.client,
    transcript: part.transcript,
    began_at,
    ended_at: began_at,
    now: call.now,
  })
  if (made === undefined) throw new Error('The session was not stored.')
  return { ...made, project_id: place.id }
}
