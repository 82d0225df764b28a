import { byClock, timestamp } from '../../../model/clock.ts'
import type { Client, TranscriptTail } from '../../../model/client.ts'
import { parentOf } from '../../../model/directive.ts'
import type { HookEvent } from '../../../model/event.ts'
import type { FileContent } from '../../../model/files.ts'
import type { ContextMeasure } from '../../../model/session.ts'
import { findTranscript } from '../../../store/message.ts'
import type { Store } from '../../../store/store.ts'
import type { Context } from '../../call/context.ts'
import type { Look } from './look.ts'

/** The state of the client's own transcript. */
export interface ReadTranscript {
  readonly path: string
  /** The current end of the file; undefined within a turn, which needs only the usage. */
  readonly size: number | undefined
  /** True if the store has no position in this file yet, or one behind its end. */
  readonly isNew?: boolean
  readonly tail?: Tail | undefined
  readonly usage?: ContextMeasure | undefined
}

/** The part of the transcript after the stored position. */
export interface Tail {
  readonly messages: TranscriptTail['messages']
  /** The window that keeps the position, and the newest one. */
  readonly keeper: number
  readonly newest: number
  readonly from: number
  readonly to: number
  /** When the position was stored. */
  readonly since: string
}

/** Only the newest part is read. */
const MOST_BYTES = { tail: 4_194_304, line: 262_144, usage: 131_072 } as const

const TURN_ENDS = new Set<HookEvent['kind']>([
  'session.started',
  'session.ended',
  'turn.stopped',
  'turn.failed',
  'compact.before',
])

/** The news in the client's transcript when a turn or a window begins or ends. */
export const transcript: Look = {
  isOfSession: true,
  find: ({ context, client, event }) =>
    beginLook(context, event)
      ? stateOf(context, client, event).then((found) => ({ transcript: found }))
      : undefined,
  ask({ context, client, event: { session = '' }, found: { transcript: state } }) {
    if (state?.size === undefined) return undefined
    const { path, size } = state
    return async (tx) => {
      const last = await findTranscript(tx, { native_id: session })
      return async () => {
        if (last === undefined || last.transcript_path !== path || last.transcript_offset > size)
          return { transcript: { ...state, isNew: true } }
        if (last.transcript_offset === size) return {}
        return { transcript: { ...state, tail: await tailAfter(context, client, { path, size }, last) } }
      }
    }
  },
}

function beginLook(context: Context, { kind, session = '', transcript: path }: HookEvent): boolean {
  if (path === undefined) return false
  return TURN_ENDS.has(kind) || (kind === 'tool.after' && beginMeasure(context, session))
}

async function stateOf(context: Context, client: Client, event: HookEvent): Promise<ReadTranscript> {
  const path = event.transcript ?? ''
  // A client creates the file with its first line.
  const size = await context.files.size(path).catch(() => 0)
  const usage = await usageIn(context, client, { event, path, size })
  return { path, size: TURN_ENDS.has(event.kind) ? size : undefined, usage }
}

type Last = NonNullable<Awaited<ReturnType<typeof findTranscript>>>

/** The messages after the stored position; those from before the session are the history of a fork. */
async function tailAfter(
  context: Context,
  client: Client,
  { path, size }: { readonly path: string; readonly size: number },
  last: Last,
): Promise<Tail> {
  const from = last.transcript_offset
  const line = await lineAround(context, { path, offset: from })
  const begin = Math.max(line, size - MOST_BYTES.tail)
  const text = await linesOf(context, { path, begin, end: size, from: line })
  // A last line without its end is read again later.
  const { messages } = client.transcript(text.slice(0, text.lastIndexOf('\n') + 1))
  return {
    messages: messages
      .map((message) => ({ ...message, at: timestamp(byClock(context.clock, Date.parse(message.at))) }))
      .filter(({ at }) => at >= last.begun_at),
    keeper: last.id,
    newest: last.newest,
    from,
    to: size,
    since: last.transcript_at ?? '',
  }
}

/** A new session has another context than the last measurement, and an ended one has none. */
async function usageIn(
  context: Context,
  client: Client,
  { event, path, size }: { event: HookEvent; path: string; size: number },
): Promise<ContextMeasure | undefined> {
  if (event.kind === 'session.started' || event.kind === 'session.ended') return undefined
  const begin = Math.max(0, size - MOST_BYTES.usage)
  return client.transcript(await linesOf(context, { path, begin, end: size })).usage
}

const MEASURED_MILLISECONDS = 15_000
const MOST_MEASURED = 10_000
const measured = new WeakMap<Store, Map<string, number>>()

/** True at most once in a while for each session, because reads of the file cost more than reads of the store. */
function beginMeasure({ store, clock }: Context, session: string): boolean {
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

/** Whole lines of the file; a partial first line is dropped. */
async function linesOf(context: Context, { from = 0, ...part }: Part & { from?: number }): Promise<string> {
  const text = (await partOf(context, part))?.content ?? ''
  return part.begin === from ? text : text.slice(text.indexOf('\n') + 1)
}

/** The start of the line that was incomplete when the length was read. */
async function lineAround(
  context: Context,
  { path, offset }: { readonly path: string; readonly offset: number },
): Promise<number> {
  const begin = Math.max(0, offset - MOST_BYTES.line)
  const part = await partOf(context, { path, begin, end: offset })
  if (part === undefined) return offset
  const half = part.content.slice(part.content.lastIndexOf('\n') + 1)
  // A partial character is not in the text.
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
