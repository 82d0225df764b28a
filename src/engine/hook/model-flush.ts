import { aiUsedEntry } from '../call/ai-used.ts'
import { askForNotes, notesAnswered } from '../../model/model-notes.ts'
import type { Session } from '../../model/session.ts'
import { oneLine } from '../../model/text/line.ts'
import { wasFlushed } from '../../store/memory.ts'
import { saidIn } from '../../store/message.ts'
import type { Tx } from '../../store/query.ts'
import { openItems } from '../../store/queue.ts'
import { findLastByNative, toSession } from '../../store/session.ts'
import { placeOfSession } from '../../store/workplace.ts'
import { type Asked, askModel, generatorIn } from '../call/ask-model.ts'
import type { Context } from '../call/context.ts'
import { callOf } from '../call/moment.ts'
import { inTurn } from '../call/turn.ts'
import { recordIn } from '../session/project-session.ts'
import { queueNotes } from './notes.ts'

/** The next context gets the queue at its start, so a later answer is useless. */
const MODEL_MAY_TAKE_MILLISECONDS = 20_000
const LONGEST_WHY = 300

/**
 * Asks the model of the user what a compacted session noted for later, and puts that into the queue. It begins behind
 * the answer of the hook, so no compaction waits for it; it never fails.
 */
export function flushByModel(context: Context, native_id: string): void {
  setImmediate(
    () => void inTurn(`flush of ${native_id}`, () => flush(context, native_id)).catch(() => undefined),
  )
}

async function flush(context: Context, native_id: string): Promise<void> {
  const known = await context.store.transact((tx) => conversationOf(tx, native_id), { reads: true })
  if (known === undefined) return
  const { session, place, said, noted } = known
  const config = context.config(place.root)
  const model = config.todo_capture === 'off' ? undefined : generatorIn(context, config)
  if (model === undefined) return
  const about = { milliseconds: MODEL_MAY_TAKE_MILLISECONDS, purpose: 'queue', config, project_id: place.id }
  const answer = await askModel(model, askForNotes(said, noted), about)
  const by = `${model.provider}/${model.model}`
  await context.store.transact((tx) => keep(tx, { session, projectId: place.id, by, answer }, context))
}

async function conversationOf(tx: Tx, native_id: string) {
  const row = await findLastByNative(tx, { native_id })
  if (row === undefined || (await wasFlushed(tx, { window_id: row.id })) !== undefined) return undefined
  const session = toSession(row)
  const place = await placeOfSession(tx, session)
  const said = (await saidIn(tx, { session_id: row.id })).map(({ content }) => content).toReversed()
  if (place === undefined || said.length === 0) return undefined
  const noted = (await openItems(tx, { project_id: place.id })).map(({ content }) => content)
  return { session, place, said, noted }
}

async function keep(
  tx: Tx,
  flushed: {
    readonly session: Session
    readonly projectId: number
    readonly by: string
    readonly answer: Asked
  },
  context: Context,
): Promise<void> {
  const { by, answer, ...at } = flushed
  const call = callOf(context, undefined)
  const notes = 'text' in answer ? notesAnswered(answer.text) : []
  if ('used' in answer) await recordIn(tx, at, aiUsedEntry(answer.used), call)
  await queueNotes(tx, { kind: 'noted', notes, effort: at.session.effort_id }, at, call)
  const missed = 'missed' in answer ? { missed: oneLine(answer.missed, LONGEST_WHY) } : {}
  await recordIn(
    tx,
    at,
    { event_type: 'queue.flushed', payload: { by, notes: notes.length, ...missed } },
    call,
  )
}
