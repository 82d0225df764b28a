import type { HookEvent, ToolCall } from './event.ts'
import { cutTo, keptText } from './kept.ts'
import type { Message } from './message.ts'

/** A message on its way into the transcript of a window. */
export interface NewMessage {
  readonly role: Message['role']
  readonly content: string
  readonly toolName?: string | undefined
  /** The client's own id of the tool call that it is of. */
  readonly nativeId?: string | undefined
  readonly at: string
}

const LONGEST = { text: 10_000, input: 500, result: 1000 } as const

/** More than come within half a second; of more, those before them are lost. */
const MOST_PENDING = 500

export const messagesAfter = (
  old: readonly NewMessage[],
  news: readonly NewMessage[],
): readonly NewMessage[] => (news.length === 0 ? old : [...old, ...news].slice(-MOST_PENDING))

/** What an event adds to the transcript of its window; what a client submits by itself is nobody's word. */
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

/** A call and what came of it, in short. */
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

/** A value as a text of one line. */
export function short(value: unknown, limit: number = LONGEST.result): string {
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
  return cutTo(text, limit)
}

/** Those that are not stored yet: a tool call is known by its id, a text by itself, as often as it was said. */
export function missingFrom(
  tail: readonly NewMessage[],
  stored: {
    readonly calls: ReadonlySet<string>
    readonly texts: readonly Pick<Message, 'role' | 'content'>[]
  },
): readonly NewMessage[] {
  const left = new Map<string, number>()
  const keyOf = ({ role, content }: Pick<Message, 'role' | 'content'>) => `${role} ${content}`
  for (const text of stored.texts) left.set(keyOf(text), (left.get(keyOf(text)) ?? 0) + 1)
  return tail.filter((message) => {
    if (message.nativeId !== undefined) return !stored.calls.has(message.nativeId)
    const times = left.get(keyOf(message)) ?? 0
    left.set(keyOf(message), times - 1)
    return times <= 0
  })
}
