import type { TranscriptTail } from '../../model/client.ts'
import { type NewMessage, short, textMessage, toolMessage } from '../../model/transcript.ts'
import { type Fields, fieldsOf, flagOf, isFields, listOf, nameOf, numberOf, textOf } from './fields.ts'

const LONGEST_LINE = 262_144

/** Context window sizes; usage above the first means the second. */
const WINDOWS = [200_000, 1_000_000] as const

/** The messages and usage in lines of the client's transcript; unknown entries are skipped. */
export function transcript(text: string): TranscriptTail {
  const messages: NewMessage[] = []
  const calls = new Map<string, Fields>()
  let tokens: number | undefined
  for (const line of text.split('\n')) {
    const entry = entryIn(line)
    if (entry === undefined) continue
    const at = Date.parse(nameOf(entry['timestamp']) ?? '')
    const message = fieldsOf(entry['message'])
    tokens = tokensIn(message['usage']) ?? tokens
    const [time, id] = [Number.isNaN(at) ? undefined : new Date(at).toISOString(), nameOf(entry['uuid'])]
    if (time !== undefined)
      messages.push(...messagesIn(entry['type'], message['content'], { at: time, id, calls }))
  }
  const window = tokens === undefined ? undefined : WINDOWS.find((size) => size >= tokens)
  return {
    messages,
    ...(tokens !== undefined &&
      window !== undefined && { usage: { usage: tokens / window, tokens, window } }),
  }
}

/** Flags of entries that nobody of the main thread said: sub-agents, notes of the client, summaries. */
const UNSAID = ['isSidechain', 'isMeta', 'isCompactSummary'] as const

function entryIn(line: string): Fields | undefined {
  if (line === '' || line.length > LONGEST_LINE) return undefined
  try {
    const entry: unknown = JSON.parse(line)
    if (!isFields(entry) || UNSAID.some((flag) => flagOf(entry[flag]) === true)) return undefined
    return entry['type'] === 'user' || entry['type'] === 'assistant' ? entry : undefined
  } catch {
    return undefined
  }
}

function messagesIn(
  type: unknown,
  content: unknown,
  line: { readonly at: string; readonly id: string | undefined; readonly calls: Map<string, Fields> },
): readonly NewMessage[] {
  const { at, calls } = line
  const role = type === 'assistant' ? 'assistant' : 'user'
  if (typeof content === 'string') return said(role, content, line)
  const blocks = listOf(content).map(fieldsOf)
  const texts = blocks.flatMap((block) => (block['type'] === 'text' ? (textOf(block['text']) ?? []) : []))
  for (const block of blocks) {
    const call = nameOf(block['id'])
    if (block['type'] === 'tool_use' && call !== undefined) calls.set(call, block)
  }
  const results = blocks.flatMap((block) => {
    const id = nameOf(block['tool_use_id'])
    if (block['type'] !== 'tool_result' || id === undefined) return []
    const call = calls.get(id) ?? {}
    const outcome = `${block['is_error'] === true ? 'failed: ' : ''}${short(block['content'])}`
    return [toolMessage({ id, name: nameOf(call['name']) ?? '', input: call['input'] }, outcome, at)]
  })
  return [...said(role, texts.join('\n'), line), ...results]
}

/** The same form as from hooks: commands as typed, and client news as system messages. */
function said(
  role: 'user' | 'assistant',
  text: string,
  { at, id }: { readonly at: string; readonly id: string | undefined },
): readonly NewMessage[] {
  if (role === 'assistant') return textMessage(role, text, at, id)
  const command = /<command-name>([^<]*)<\/command-name>/.exec(text)?.[1]?.trim()
  const args = /<command-args>([^]*)<\/command-args>/.exec(text)?.[1] ?? ''
  if (command !== undefined) return textMessage('user', `${command} ${args}`, at, id)
  if (text.startsWith('<local-command-')) return []
  return textMessage(text.startsWith('<task-notification>') ? 'system' : 'user', text, at, id)
}

function tokensIn(usage: unknown): number | undefined {
  if (!isFields(usage)) return undefined
  const kinds = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens']
  const sum = kinds.reduce((all, kind) => all + (numberOf(usage[kind]) ?? 0), 0)
  return sum > 0 ? sum : undefined
}
