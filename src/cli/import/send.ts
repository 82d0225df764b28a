import type { PartResult } from '../../engine/session/import-session.ts'
import { type Part, Turns } from '../../model/history.ts'
import type { Remote } from '../daemon/remote.ts'
import { linesFrom, type Transcript } from './transcripts.ts'

/** What the lines of transcripts were. */
export interface LineCounts {
  read: number
  not_understood: number
  too_long: number
}

/** How a transcript is imported. */
export interface Sending {
  readonly remote: Remote
  readonly transcript: Transcript
  readonly cwd: string
  /** Where an earlier import ended. */
  readonly from: number
  /** Only counts what would be imported. */
  readonly isDry: boolean
  readonly lines: LineCounts
  /** Called with the bytes that were read since the last time. */
  readonly onRead: (bytes: number) => void
}

/** What became of a transcript. */
export interface Sent {
  readonly state: PartResult['state'] | 'empty'
  readonly messages: number
  readonly left_out: number
  readonly project_id: number | null
}

const MOST_MESSAGES = 200
const MOST_CHARS = 500_000
/** What a session may have; the rest of a longer one is left out. */
const MOST_IN_SESSION = 5000

/** Reads the rest of a transcript and sends what was said, in parts that are stored whole or not at all. */
export async function sendTranscript(sending: Sending): Promise<Sent> {
  const { transcript, lines, onRead } = sending
  let result: Sent = { state: 'empty', messages: 0, left_out: 0, project_id: null }
  let from = sending.from
  const turns = new Turns(from)
  const send = async (part: Part) => {
    const room = MOST_IN_SESSION - result.messages
    const kept = { ...part, messages: part.messages.slice(0, Math.max(0, room)) }
    result = add(
      result,
      await sendPart(sending, { ...kept, from }),
      part.messages.length - kept.messages.length,
    )
    from = part.to
  }
  for await (const { text, ...place } of linesFrom(transcript.path, from)) {
    onRead(place.to - place.from)
    lines.read++
    const line = text === undefined ? UNREAD : transcript.history.read(text)
    if (text === undefined) lines.too_long++
    else if (line.kind === 'unknown') lines.not_understood++
    turns.add(line, place)
    if (turns.count < MOST_MESSAGES && turns.chars < MOST_CHARS) continue
    await send(turns.take())
    if (!isGoingOn(result)) return result
  }
  const last = turns.end()
  if (last.to > from) await send(last)
  return result
}

const UNREAD = { kind: 'unknown' } as const

const isGoingOn = ({ state }: Sent): boolean => state === 'imported' || state === 'empty'

function add(before: Sent, { state, stored, left_out, project_id }: PartResult, over: number): Sent {
  return {
    state: stored === 0 && before.state !== 'empty' && state === 'imported' ? before.state : state,
    messages: before.messages + stored,
    left_out: before.left_out + left_out + over,
    project_id: project_id ?? before.project_id,
  }
}

/** INV_RETRY: the stored end of the transcript decides, so a part that is sent twice is stored once. */
async function sendPart(
  { remote, transcript, cwd, isDry }: Sending,
  { messages, from, to }: Part & { readonly from: number },
): Promise<PartResult> {
  if (isDry) return { state: 'imported', offset: to, stored: messages.length, left_out: 0, project_id: null }
  return await remote.call<PartResult>('memory.import', {
    client: transcript.client.name,
    session: transcript.session,
    transcript: transcript.path,
    cwd,
    from,
    to,
    messages: messages.map(({ role, content, at, nativeId: id, origin }) => ({
      role,
      content,
      at,
      ...(origin !== undefined && origin.length <= 200 && { origin }),
      ...(id !== undefined && id.length <= 200 && { id }),
    })),
  })
}
