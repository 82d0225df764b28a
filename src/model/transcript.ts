import type { HookEvent, ToolCall } from './event.ts'
import { cutTo, keptJson, keptText } from './text/kept.ts'
import type { Message } from './message.ts'

/** A message to append to the transcript of a session. */
export interface NewMessage {
  readonly role: Message['role']
  readonly content: string
  readonly toolName?: string | undefined
  /** The client's id of its tool call. */
  readonly nativeId?: string | undefined
  readonly at: string
}

const LONGEST = { text: 10_000, input: 500, result: 1000 } as const

/** More than arrive within half a second; older ones are dropped. */
const MOST_PENDING = 500

export const messagesAfter = (
  old: readonly NewMessage[],
  news: readonly NewMessage[],
): readonly NewMessage[] => (news.length === 0 ? old : [...old, ...news].slice(-MOST_PENDING))

/** The messages of an event; prompts that the client submits itself do not count. */
export function messagesOf(event: HookEvent, at: string): readonly NewMessage[] {
  switch (event.kind) {
    case 'prompt.submitted':
      return textMessage(event.by === 'user' ? 'user' : 'system', event.text, at)
    case 'tool.after':
      return [toolMessage(event.tool, short(event.tool.result, LONGEST.result), at)]
    case 'tool.failed':
      return [toolMessage(event.tool, `failed: ${cutTo(event.error, LONGEST.result)}`, at)]
    case 'permission.denied':
      return [toolMessage(event.tool, `denied: ${cutTo(event.reason ?? '', LONGEST.result)}`, at)]
    case 'turn.stopped':
    case 'turn.failed':
      return textMessage('assistant', event.lastMessage ?? '', at)
    default:
      return []
  }
}

export const textMessage = (role: Message['role'], text: string, at: string): readonly NewMessage[] =>
  text.trim() === '' ? [] : [{ role, content: keptText(text.trim(), LONGEST.text), at }]

/** A call and its result, shortened. */
export const toolMessage = (
  { id, name, input }: Pick<ToolCall, 'id' | 'name' | 'input'>,
  outcome: string,
  at: string,
): NewMessage => ({
  role: 'tool',
  content: keptText(`${short(input, LONGEST.input)} → ${outcome}`, LONGEST.input + 2 * LONGEST.result),
  toolName: name,
  nativeId: id,
  at,
})

/** A value as one line of text; only its beginning is copied. */
export function short(value: unknown, limit: number = LONGEST.result): string {
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(keptJson(value))
  return cutTo(text, limit)
}

type Stored = Pick<Message, 'role' | 'content' | 'timestamp'> & { readonly native_id: string | null }

/** The messages not stored yet: tool calls match by id, texts by content and count. */
export function missingFrom(
  tail: readonly NewMessage[],
  stored: readonly Stored[],
  since: string,
): readonly NewMessage[] {
  const calls = new Set(stored.flatMap(({ native_id: id }) => id ?? []))
  const texts = tail.filter(({ nativeId }) => nativeId === undefined)
  // Messages from before the tail are not in it, even with the same words.
  const told = stored.filter(({ native_id: id, timestamp }) => id === null && timestamp >= since)
  const said = Map.groupBy(texts, keyOf)
  const known = new Set(
    [...Map.groupBy(told, keyOf)].flatMap(([key, ones]) => nearest(said.get(key) ?? [], ones)),
  )
  return tail.filter((message) =>
    message.nativeId === undefined ? !known.has(message) : !calls.has(message.nativeId),
  )
}

const keyOf = ({ role, content }: Pick<Message, 'role' | 'content'>): string => `${role} ${content}`

const timeOf = (at: string): number => Date.parse(at)

/** Matches equal texts by nearest time, keeping both orders. */
function nearest(said: readonly NewMessage[], told: readonly Stored[]): readonly NewMessage[] {
  let next = 0
  return told.flatMap(({ timestamp }, index) => {
    const distance = (one: NewMessage | undefined) => Math.abs(timeOf(one?.at ?? '') - timeOf(timestamp))
    // Leaves enough matches for later messages.
    const last = said.length - (told.length - index)
    while (next < last && distance(said[next + 1]) < distance(said[next])) next++
    return said[next++] ?? []
  })
}
