import type { HookEvent, ToolCall } from './event.ts'
import { maskedTo } from './secrets.ts'
import { keptJson, keptText } from './text/kept.ts'
import type { Message } from './message.ts'

/** A message to append to the transcript of a session. */
export interface NewMessage {
  readonly role: Message['role']
  readonly content: string
  readonly toolName?: string | undefined
  /** The client's id of its tool call, or of a text in its transcript. */
  readonly nativeId?: string | undefined
  /** The client's id of the session in which it was said, if that may be another one. */
  readonly origin?: string | undefined
  readonly at: string
}

const LONGEST = { text: 10_000, input: 500, result: 1000 } as const

/** More than arrive within half a second; older ones are dropped. */
const MOST_PENDING = 500

export const messagesAfter = (
  old: readonly NewMessage[],
  news: readonly NewMessage[],
): readonly NewMessage[] => (news.length === 0 ? old : [...old, ...news].slice(-MOST_PENDING))

/** The prompt or last message of an event; prompts of the client itself are system messages. */
export function textsOf(event: HookEvent, at: string): readonly NewMessage[] {
  switch (event.kind) {
    case 'prompt.submitted':
      return textMessage(event.by === 'user' ? 'user' : 'system', event.text, at)
    case 'turn.stopped':
    case 'turn.failed':
      return textMessage('assistant', event.lastMessage ?? '', at)
    default:
      return []
  }
}

/** The outcome of the tool call of an event. */
export function outcomesOf(event: HookEvent, at: string): readonly NewMessage[] {
  switch (event.kind) {
    case 'tool.after':
      return [toolMessage(event.tool, short(event.tool.result, LONGEST.result), at)]
    case 'tool.failed':
      return [toolMessage(event.tool, `failed: ${maskedTo(event.error, LONGEST.result)}`, at)]
    case 'permission.denied':
      return [toolMessage(event.tool, `denied: ${maskedTo(event.reason ?? '', LONGEST.result)}`, at)]
    default:
      return []
  }
}

export const textMessage = (
  role: Message['role'],
  text: string,
  at: string,
  nativeId?: string,
): readonly NewMessage[] =>
  text.trim() === ''
    ? []
    : [{ role, content: keptText(maskedTo(text.trim(), LONGEST.text), LONGEST.text), nativeId, at }]

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

/** A value as one line of text without secrets; only its beginning is copied. */
export function short(value: unknown, limit: number = LONGEST.result): string {
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(keptJson(value))
  return maskedTo(text, limit)
}

interface Stored extends Pick<Message, 'id' | 'role' | 'content' | 'timestamp'> {
  /** Null for a text of a hook that no transcript has shown yet. */
  readonly native_id: string | null
}

/** What a part of a transcript adds to the stored messages. */
interface News {
  readonly missing: readonly NewMessage[]
  /** The stored texts that it shows, with their ids in the transcript. */
  readonly shown: readonly { readonly id: number; readonly nativeId: string }[]
}

/** Compares a transcript with the stored messages: ids match first, then texts of hooks by content and time. */
export function newsIn(tail: readonly NewMessage[], stored: readonly Stored[]): News {
  const ids = new Set(stored.flatMap(({ native_id: id }) => id ?? []))
  const fresh = tail.filter(({ nativeId }) => nativeId === undefined || !ids.has(nativeId))
  const said = Map.groupBy(
    fresh.filter(({ role }) => role !== 'tool'),
    keyOf,
  )
  const told = stored.filter(({ role, native_id: id }) => role !== 'tool' && id === null)
  const pairs = new Map(
    [...Map.groupBy(told, keyOf)].flatMap(([key, ones]) => nearest(said.get(key) ?? [], ones)),
  )
  return {
    missing: fresh.filter((one) => !pairs.has(one)).map((one) => ({ ...one, nativeId: idOf(one) })),
    shown: [...pairs].map(([one, { id }]) => ({ id, nativeId: idOf(one) })),
  }
}

/** A text without an id still counts as shown. */
const idOf = ({ nativeId }: NewMessage): string => nativeId ?? ''

const keyOf = ({ role, content }: Pick<Message, 'role' | 'content'>): string => `${role} ${content}`

const timeOf = (at: string): number => Date.parse(at)

/** Matches equal texts by nearest time, keeping both orders. */
function nearest(said: readonly NewMessage[], told: readonly Stored[]): readonly [NewMessage, Stored][] {
  let next = 0
  return told.flatMap((one, index) => {
    const distance = (line: NewMessage | undefined) =>
      Math.abs(timeOf(line?.at ?? '') - timeOf(one.timestamp))
    // Leaves enough matches for later messages.
    const last = said.length - (told.length - index)
    while (next < last && distance(said[next + 1]) < distance(said[next])) next++
    const line = said[next++]
    return line === undefined ? [] : [[line, one]]
  })
}
