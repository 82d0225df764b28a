import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Config } from '../model/config.ts'

/** What the server does with the next request instead of answering well. */
export type Trick =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  | { readonly change: (answer: Json) => unknown }
  | { readonly text: string }
  | 'hang'
  | 'cut'
  | 'huge'

type Json = any

/** A provider on loopback that speaks the documented shapes of all providers. */
export interface Loopback extends AsyncDisposable {
  readonly url: string
  readonly requests: {
    readonly path: string
    readonly headers: IncomingMessage['headers']
    readonly body: Json
  }[]
  /** Every text that was embedded, as it came in. */
  readonly embedded: string[]
  /** Tricks for the next requests, in order. */
  readonly tricks: Trick[]
  /** Resolves when a request comes in for which a `hang` waits. */
  readonly hanging: () => Promise<void>
  /** Closes every connection, with the requests that hang. */
  readonly drop: () => void
}

interface Options {
  readonly dims?: number
  /** Words that mean the same. */
  readonly synonyms?: Readonly<Record<string, string>>
  /** The port, to come back at the same place. */
  readonly port?: number
  /** Called before each answer with what was asked; a rejected promise drops the connection. */
  /** Which requests the model refuses. */
  readonly refuses?: (body: Json) => boolean
  readonly before?: (body: Json) => Promise<void>
}

const USUAL_DIMS = 32

export async function loopback(options: Options = {}): Promise<Loopback> {
  const { before = () => Promise.resolve() } = options
  const it = { requests: [] as Loopback['requests'], embedded: [] as string[], tricks: [] as Trick[] }
  const waiting: (() => void)[] = []
  const server = createServer((request, response) => {
    void (async () => {
      const path = request.url ?? ''
      const body = JSON.parse(await textOf(request))
      it.requests.push({ path, headers: request.headers, body })
      const trick = it.tricks.shift()
      if (trick === 'hang') return waiting.splice(0).forEach((resolve) => resolve())
      await before(body)
      if (options.refuses?.(body) === true)
        return play(response, { status: 400, body: { error: { message: 'refused' } } }, {})
      const answer = answerTo(path, body, options, it.embedded)
      play(response, trick, answer)
    })().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  return {
    ...it,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    hanging: () => new Promise((resolve) => void waiting.push(resolve)),
    drop: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function play(response: ServerResponse, trick: Exclude<Trick, 'hang'> | undefined, answer: unknown): void {
  const send = (status: number, text: string, headers: Record<string, string> = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
  if (trick === undefined) return void send(200, JSON.stringify(answer))
  if (trick === 'huge') {
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = () => {
      while (response.writable && response.write(' '.repeat(100_000)));
      if (!response.destroyed) response.once('drain', more)
    }
    return more()
  }
  if (trick === 'cut') {
    const text = JSON.stringify(answer)
    response.writeHead(200, { 'content-length': String(text.length) })
    response.write(text.slice(0, text.length / 2))
    return void setImmediate(() => response.destroy())
  }
  if ('change' in trick) return void send(200, JSON.stringify(trick.change(answer)))
  if ('text' in trick) return void send(200, trick.text)
  send(trick.status, JSON.stringify(trick.body ?? { error: { message: 'no' } }), trick.headers)
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk)
  return text
}

const PROSE = 'A short summary.'

function answerTo(path: string, body: Json, options: Options, embedded: string[]): unknown {
  const vector = (text: string, dims?: number) => {
    embedded.push(text)
    return vectorOf(text, { ...options, dims: dims ?? options.dims ?? USUAL_DIMS })
  }
  if (path.endsWith(':batchEmbedContents'))
    return {
      embeddings: body.requests.map((one: Json) => ({
        values: vector(one.content.parts[0].text, one.outputDimensionality),
      })),
    }
  if (path.endsWith('/embeddings')) {
    const data = body.input.map((text: string, index: number) => ({
      object: 'embedding',
      index,
      embedding: vector(text, body.dimensions ?? body.output_dimension),
    }))
    const count = body.input.length * 3
    return { object: 'list', data, usage: { prompt_tokens: count, total_tokens: count } }
  }
  if (path.endsWith(':generateContent'))
    return {
      candidates: [{ content: { role: 'model', parts: [{ text: PROSE }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 4 },
    }
  if (path.endsWith('/messages'))
    return {
      content: [{ type: 'text', text: PROSE }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 12, output_tokens: 4 },
    }
  return {
    choices: [{ message: { role: 'assistant', content: PROSE }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 12, completion_tokens: 4 },
  }
}

/** The words of a text, each at a place of its own, so that texts with the same words are near. */
function vectorOf(text: string, { dims = USUAL_DIMS, synonyms = {} }: Options): readonly number[] {
  const values = Array.from({ length: dims }, () => 0.01)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let hash = 7
    for (const char of synonyms[word] ?? word) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 1_000_003
    const at = hash % dims
    values[at] = (values[at] ?? 0) + 1
  }
  return values
}

/** The name of a folder whose config names models. */
export const WITH_MODELS = 'with-models'

/** The settings of a project below such a folder. */
export const configWithModels = (root: string, { url }: Loopback): Config =>
  root.endsWith(WITH_MODELS)
    ? {
        ai_embed: 'openai-compatible/small',
        ai_embed_url: url,
        ai_embed_price: '2',
        ai_generate: 'openai-compatible/large',
        ai_generate_url: url,
      }
    : {}
