import type { IncomingHttpHeaders } from 'node:http'

/** Which part of the client asks: its main thread, a sub-agent, its summarizer, or a request without tools. */
export type Lane = 'main' | 'agent' | 'compaction' | 'side'

interface Block {
  readonly type: string
  readonly text?: string
  readonly id?: string
  readonly name?: string
  readonly tool_use_id?: string
  readonly content?: string | readonly Block[]
  readonly is_error?: boolean
}

interface Message {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string | readonly Block[]
}

export interface MessagesBody {
  readonly model: string
  readonly stream?: boolean
  readonly system?: string | readonly Block[]
  readonly messages: readonly Message[]
  readonly tools?: readonly { readonly name: string }[]
}

export interface ToolResult {
  readonly tool: string
  readonly text: string
  readonly isError: boolean
}

/** One request for a turn, with helpers for tests. */
export class ModelRequest {
  readonly body: MessagesBody
  readonly lane: Lane
  /** The sub-agent's id as in its hook events; undefined for the main thread. */
  readonly agentId: string | undefined
  readonly sessionId: string | undefined

  constructor(body: MessagesBody, headers: IncomingHttpHeaders) {
    this.body = body
    this.agentId = headers['x-claude-code-agent-id']?.toString()
    this.sessionId = headers['x-claude-code-session-id']?.toString()
    this.lane = this.#lane()
  }

  /** Whether the request contains this text anywhere, including system prompt and tools. */
  mentions(text: string): boolean {
    return [...leaves(this.body)].some((leaf) => leaf.includes(text))
  }

  /** The text of user messages, with reminders of the client but without tool results. */
  userTexts(): readonly string[] {
    return this.#messages('user').flatMap(({ content }) => textsOf(content))
  }

  lastUserText(): string {
    return textsOf(this.#messages('user').at(-1)?.content).join('\n')
  }

  /** The system prompt and system messages, which carry the context of hooks. */
  systemTexts(): readonly string[] {
    return [
      ...textsOf(this.body.system),
      ...this.#messages('system').flatMap(({ content }) => textsOf(content)),
    ]
  }

  /** The tool results in the order of the calls; the client sends them as they finish. */
  toolResults(): readonly ToolResult[] {
    const blocks = this.body.messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    const results = new Map(blocks.map((block) => [block.tool_use_id, block]))
    return blocks.flatMap(({ type, id, name = '' }) => {
      const result = type === 'tool_use' ? results.get(id) : undefined
      if (result === undefined) return []
      return { tool: name, text: textsOf(result.content).join('\n'), isError: result.is_error ?? false }
    })
  }

  #messages(role: Message['role']): readonly Message[] {
    return this.body.messages.filter((message) => message.role === role)
  }

  #lane(): Lane {
    // The summarizer has the tools and the conversation of its thread; only its instructions differ.
    if (this.lastUserText().includes('an <analysis> block followed by a <summary> block')) return 'compaction'
    if ((this.body.tools ?? []).length === 0) return 'side'
    return this.agentId === undefined ? 'main' : 'agent'
  }
}

function textsOf(content: string | readonly Block[] = []): readonly string[] {
  if (typeof content === 'string') return [content]
  return content.flatMap(({ text }) => (text === undefined ? [] : [text]))
}

function* leaves(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  if (typeof value === 'object' && value !== null)
    for (const part of Object.values(value)) yield* leaves(part)
}
