import type { Client, TranscriptTail } from '../../model/client.ts'
import { parentOf } from '../../model/directive.ts'
import type { HookEvent } from '../../model/event.ts'
import type { FileContent } from '../../model/files.ts'
import type { ContextMeasure } from '../../model/session.ts'
import { missingFrom } from '../../model/transcript.ts'
import { findTranscript, insertMessages, knownMessages, moveTranscript } from '../../store/message.ts'
import type { Tx } from '../../store/query.ts'
import type { Store } from '../../store/store.ts'
import type { Context } from '../call/context.ts'

/** What the client has written to its own transcript. */
export interface ReadTranscript {
  readonly path: string
  /** Where the file ends now; nothing in the middle of a turn, whose hooks are still to come. */
  readonly offset: number | undefined
  /** What of it the last window may have missed, where one comes back. */
  readonly tail?: Tail | undefined
  readonly usage?: ContextMeasure | undefined
}

interface Tail {
  readonly messages: TranscriptTail['messages']
  readonly session: number
  readonly from: number
  readonly to: number
  /** What was told before is not in it. */
  readonly since: string
}

/** More is not read: it is the newest that counts. */
const MOST_BYTES = { tail: 4_194_304, line: 262_144, usage: 131_072 } as const

const TURN_ENDS = new Set<HookEvent['kind']>([
  'session.started',
  'turn.stopped',
  'turn.failed',
  'compact.before',
])

/** Where the transcript of the client stands; its messages are read only when a session comes back. */
export async function transcriptOf(
  context: Context,
  client: Client,
  event: HookEvent,
): Promise<ReadTranscript | undefined> {
  const { transcript: path, session, subagent } = event
  if (path === undefined || session === undefined || subagent !== undefined) return undefined
  const isTurnEnd = TURN_ENDS.has(event.kind)
  if (!isTurnEnd && !(event.kind === 'tool.after' && isTimeToMeasure(context, session))) return undefined
  // A client writes its first line when it has something to write.
  const size = await context.files.size(path).catch(() => 0)
  const usage = await usageIn(context, client, { event, path, size })
  if (!isTurnEnd) return { path, offset: undefined, usage }
  if (event.kind !== 'session.started' || event.source !== 'resume') return { path, offset: size, usage }
  // How far the last window came may still be on its way to the disk.
  await context.store.flush()
  const last = await context.store.transact((tx) => findTranscript(tx, { native_id: session }), {
    reads: true,
  })
  if (last === undefined || last.transcript_path !== path) return { path, offset: size, usage }
  const from = last.transcript_offset
  const line = await lineAround(context, { path, offset: from })
  const begin = Math.max(line, size - MOST_BYTES.tail)
  const missed = await linesOf(context, { path, begin, end: size, from: line })
  const { messages } = client.transcript(missed)
  const tail = { messages, session: last.id, from, to: size, since: last.transcript_at ?? '' }
  return { path, offset: size, tail, usage }
}

/** A window that begins has another context than the one that was measured last. */
async function usageIn(
  context: Context,
  client: Client,
  { event, path, size }: { event: HookEvent; path: string; size: number },
): Promise<ContextMeasure | undefined> {
  if (event.kind === 'session.started') return undefined
  const begin = Math.max(0, size - MOST_BYTES.usage)
  return client.transcript(await linesOf(context, { path, begin, end: size })).usage
}

const MEASURED_MILLISECONDS = 15_000
const MOST_MEASURED = 10_000
const measured = new WeakMap<Store, Map<string, number>>()

/** A turn without a status line can be long, and a look at the file costs more than a look at the store. */
function isTimeToMeasure({ store, clock }: Context, session: string): boolean {
  const known = measured.get(store) ?? new Map<string, number>()
  measured.set(store, known)
  const now = clock.now()
  if (Math.abs(now - (known.get(session) ?? 0)) < MEASURED_MILLISECONDS) return false
  if (known.size >= MOST_MEASURED) known.clear()
  known.set(session, now)
  return true
}

interface Part {
  readonly path: string
  readonly begin: number
  readonly end: number
}

/** Whole lines of the file; what begins in the middle of one is none. */
async function linesOf(context: Context, { from = 0, ...part }: Part & { from?: number }): Promise<string> {
  const text = (await partOf(context, part))?.content ?? ''
  return part.begin === from ? text : text.slice(text.indexOf('\n') + 1)
}

/** Where the line begins that was half written when somebody looked how long the file is. */
async function lineAround(
  context: Context,
  { path, offset }: { readonly path: string; readonly offset: number },
): Promise<number> {
  const begin = Math.max(0, offset - MOST_BYTES.line)
  const part = await partOf(context, { path, begin, end: offset })
  if (part === undefined) return offset
  const half = part.content.slice(part.content.lastIndexOf('\n') + 1)
  // Half of a character is not in the text.
  return (part.next_offset ?? offset) - Buffer.byteLength(half)
}

async function partOf({ files }: Context, { path, begin, end }: Part): Promise<FileContent | undefined> {
  if (begin >= end) return undefined
  const folder = parentOf(path)
  return await files
    .canonical(folder)
    .then((root) =>
      files.read({ path: `${root}${path.slice(folder.length)}`, root, offset: begin, limit: end - begin }),
    )
    .catch(() => undefined)
}

/** Adds what the hooks of a window that was cut short could not tell any more. */
export async function catchUp(tx: Tx, tail: Tail, now: string): Promise<void> {
  const { session, messages, from, to, since } = tail
  if (messages.length === 0) return
  // A client that is hooked twice comes back twice.
  if ((await moveTranscript(tx, { id: session, from, to, now })) === undefined) return
  const rows = await knownMessages(tx, { session_id: session })
  await insertMessages(tx, session, missingFrom(messages, rows.toReversed(), since))
}
