import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Loopback, sendJson } from './loopback.ts'
import { type Lane, type MessagesBody, ModelRequest } from './model-request.ts'

export interface ToolCall {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

/** The next turn of the model: text, tool calls (several run in parallel), or both. */
export interface Turn {
  readonly text?: string
  readonly tools?: readonly ToolCall[]
  /** The size of the conversation as the client sees it; near its limit, the client compacts. */
  readonly inputTokens?: number
}

/** The turns of one lane in order, or a function from each request to its turn. */
export type Script = readonly Turn[] | ((request: ModelRequest) => Turn | Promise<Turn>)

export const say = (text: string): Turn => ({ text })
export const use = (name: string, input: ToolCall['input']): Turn => ({ tools: [{ name, input }] })
/** Several tool calls in one turn, which the client runs in parallel. */
export const useAll = (...turns: readonly Turn[]): Turn => ({
  tools: turns.flatMap(({ tools }) => tools ?? []),
})

const UNSCRIPTED: Readonly<Record<Lane, Turn>> = {
  main: say('Done.'),
  agent: say('Done.'),
  compaction: say('<analysis>All of it.</analysis>\n<summary>What was said before.</summary>'),
  side: say('Fine.'),
}

/** Our own model on loopback: it speaks the Messages API, follows a script, and records its requests. */
export class ModelServer extends Loopback {
  readonly requests: ModelRequest[] = []
  /** All other requests of the client, here or, through its proxy setting, anywhere. */
  readonly strays: string[] = []
  readonly #scripts = new Map<Lane, Script>()

  constructor() {
    super()
    this.server.on('connect', (request, socket) => {
      this.strays.push(`CONNECT ${request.url}`)
      socket.destroy()
    })
  }

  /** Sets the script of a lane; without a script or after its end, the lane says that it is done. */
  script(lane: Lane, script: Script): void {
    this.#scripts.set(lane, Array.isArray(script) ? [...script] : script)
  }

  of(lane: Lane): readonly ModelRequest[] {
    return this.requests.filter((request) => request.lane === lane)
  }

  /** The newest request of a lane; there must be one. */
  last(lane: Lane = 'main'): ModelRequest {
    const request = this.of(lane).at(-1)
    if (request === undefined) throw new Error(`The model was asked for no turn of the lane ${lane}.`)
    return request
  }

  protected override async answer(incoming: IncomingMessage, text: string, response: ServerResponse) {
    const path = new URL(incoming.url ?? '/', this.url).pathname
    if (path === '/v1/messages/count_tokens') {
      return sendJson(response, 200, { input_tokens: Math.ceil(text.length / 4) })
    }
    if (incoming.method !== 'POST' || path !== '/v1/messages') {
      this.strays.push(`${incoming.method} ${incoming.url}`)
      return sendJson(response, 404, refusal('not_found_error', path))
    }
    try {
      const request = new ModelRequest(JSON.parse(text) as MessagesBody, incoming.headers)
      this.requests.push(request)
      const message = messageOf(request, await this.#next(request))
      if (request.body.stream === true) sendStream(response, message)
      else sendJson(response, 200, message)
    } catch (error) {
      // The client does not retry after 400, so a script that throws ends the run with its message.
      sendJson(response, 400, refusal('invalid_request_error', String(error)))
    }
  }

  async #next(request: ModelRequest): Promise<Turn> {
    const script = this.#scripts.get(request.lane)
    if (typeof script === 'function') return script(request)
    return (script as Turn[] | undefined)?.shift() ?? UNSCRIPTED[request.lane]
  }
}

type Message = ReturnType<typeof messageOf>

function messageOf(request: ModelRequest, turn: Turn) {
  const tools = (turn.tools ?? []).map((call) => ({ type: 'tool_use' as const, id: newId('toolu'), ...call }))
  const words = turn.text === undefined ? [] : [{ type: 'text' as const, text: turn.text }]
  return {
    id: newId('msg'),
    type: 'message',
    role: 'assistant',
    model: request.body.model,
    content: [...words, ...tools],
    stop_reason: tools.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: turn.inputTokens ?? 1000,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 20,
    },
  }
}

function sendStream(response: ServerResponse, message: Message): void {
  const send = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  send('message_start', { message: { ...message, content: [], stop_reason: null } })
  for (const [index, block] of message.content.entries()) {
    const [empty, delta] =
      block.type === 'text'
        ? [
            { ...block, text: '' },
            { type: 'text_delta', text: block.text },
          ]
        : [
            { ...block, input: {} },
            { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
          ]
    send('content_block_start', { index, content_block: empty })
    send('content_block_delta', { index, delta })
    send('content_block_stop', { index })
  }
  const { stop_reason, stop_sequence, usage } = message
  send('message_delta', { delta: { stop_reason, stop_sequence }, usage })
  send('message_stop', {})
  response.end()
}

const refusal = (type: string, message: string) => ({ type: 'error', error: { type, message } })
const newId = (prefix: string) => `${prefix}_${randomUUID().replaceAll('-', '')}`
