import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import * as fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type HookFault, type HttpOptions, HttpServer } from './http.ts'
import { LIMITS } from './scan.ts'

const TOKENS = { hook: 'h'.repeat(43), full: 'f'.repeat(43) }

/** Says what its payload tells it to say. */
const obedient: HttpOptions['handleHook'] = (client, payload) =>
  Promise.resolve({ client, ...(payload as object) })

async function serving(options: Partial<HttpOptions> = {}) {
  const faults: HookFault[] = []
  const handleHook = vi.fn<HttpOptions['handleHook']>(options.handleHook ?? obedient)
  const dispatch = vi.fn<HttpOptions['dispatch']>(
    options.dispatch ?? ((_, params) => Promise.resolve(params)),
  )
  const server = new HttpServer({
    toError: (error) => ({ code: -1, message: String(error) }),
    onFault: (fault) => faults.push(fault),
    closeFor: () => {
      throw new Error('no words')
    },
    tokens: () => TOKENS,
    handleLine: (client) => Promise.resolve(`[${client}]`),
    ...options,
    handleHook,
    dispatch,
  })
  const port = await server.listen(0)
  onTestFinished(() => server.close(0))
  return { server, port, faults, handleHook, dispatch, open: () => Talk.open(port) }
}

/** Waits for what must come, however slow the machine. */
async function untilCalled({
  mock,
}: {
  readonly mock: { readonly calls: readonly unknown[] }
}): Promise<void> {
  while (mock.calls.length === 0) await sleep(2)
}

interface Message {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A connection on which any bytes can be sent, and the answers that came. */
class Talk {
  readonly socket: Socket
  readonly port: number
  #received = ''
  #closed = false

  constructor(socket: Socket, port: number) {
    this.socket = socket
    this.port = port
    socket.setEncoding('latin1').on('data', (text: string) => void (this.#received += text))
    socket.on('error', () => undefined)
    socket.on('close', () => void (this.#closed = true))
  }

  static async open(port: number): Promise<Talk> {
    const socket = createConnection({ port, host: '127.0.0.1' })
    await once(socket, 'connect')
    onTestFinished(() => void socket.destroy())
    return new Talk(socket, port)
  }

  send(...parts: readonly (string | Uint8Array)[]): this {
    for (const part of parts) this.socket.write(part)
    return this
  }

  /** A request that is as it should be, but for what is said to be otherwise. */
  post(body: string | Uint8Array, more: { url?: string; token?: string; headers?: readonly string[] } = {}) {
    const { url = '/hook/claude-code', token = url === '/rpc' ? TOKENS.full : TOKENS.hook } = more
    const headers = [
      `POST ${url} HTTP/1.1`,
      `Host: 127.0.0.1:${this.port}`,
      `Authorization: Bearer ${token}`,
      ...(more.headers ?? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    ]
    return this.send(`${headers.join('\r\n')}\r\n\r\n`, body)
  }

  /** The next answer; undefined where the other end closes without one. */
  async answer(): Promise<Message | undefined> {
    for (;;) {
      const end = this.#received.indexOf('\r\n\r\n')
      const [status = '', ...lines] = this.#received.slice(0, Math.max(end, 0)).split('\r\n')
      const headers = Object.fromEntries(
        lines.map((line) => line.toLowerCase().split(': ') as [string, string]),
      )
      const whole = end + 4 + Number(headers['content-length'] ?? 0)
      if (end !== -1 && this.#received.length >= whole) {
        const body = Buffer.from(this.#received.slice(end + 4, whole), 'latin1').toString('utf8')
        this.#received = this.#received.slice(whole)
        return { status: Number(status.split(' ')[1]), headers, body }
      }
      if (this.#closed) return undefined
      await sleep(2)
    }
  }

  async closed(): Promise<string> {
    while (!this.#closed) await sleep(2)
    return this.#received
  }
}

describe('a status line', () => {
  const url = '/statusline/claude-code'

  test('is answered with a text and the end of its line', async () => {
    const { open } = await serving({ handleLine: () => Promise.resolve('[bløck]') })
    const answer = await (await open()).post('{}', { url }).answer()
    expect(answer).toMatchObject({ status: 200, body: '[bløck]\n' })
    expect(answer?.headers['content-type']).toBe('text/plain; charset=utf-8')
  })

  test('of which nothing is to be said is empty', async () => {
    const { open, faults } = await serving({ handleLine: () => Promise.resolve('') })
    expect(await (await open()).post('{}', { url }).answer()).toMatchObject({ status: 200, body: '' })
    expect(faults).toEqual([])
  })

  test('that fails is empty, and told', async () => {
    const cause = new Error('no')
    const { open, faults } = await serving({ handleLine: () => Promise.reject(cause) })
    const talk = await open()
    expect(await talk.post('{}', { url }).answer()).toMatchObject({ status: 200, body: '' })
    expect(await talk.post('no JSON', { url }).answer()).toMatchObject({ status: 200, body: '' })
    expect(await talk.post(JSON.stringify('x'.repeat(LIMITS.bytes)), { url }).answer()).toMatchObject({
      body: '',
    })
    expect(faults).toMatchObject([
      { client: 'claude-code', problem: 'The status line failed.', cause },
      { cause: { message: 'The message is not JSON.' } },
      { cause: { message: `A status line may be told ${LIMITS.bytes} bytes.` } },
    ])
  })

  test('is asked for with the token of hooks and no other', async () => {
    const { open } = await serving()
    const answer = await (await open()).post('{}', { url, token: TOKENS.full }).answer()
    expect(answer).toMatchObject({ status: 401 })
  })
})

describe('a hook', () => {
  test('is answered with what was decided', async () => {
    const { open } = await serving()
    const answer = await (await open()).post('{"decision":"bløck"}').answer()
    expect(answer).toMatchObject({ status: 200, body: '{"client":"claude-code","decision":"bløck"}' })
    expect(answer?.headers['content-type']).toBe('application/json')
  })

  test('is answered with nothing where nothing was decided', async () => {
    const { open, faults } = await serving({ handleHook: () => Promise.resolve(undefined) })
    expect(await (await open()).post('{}').answer()).toMatchObject({ status: 200, body: '' })
    expect(faults).toEqual([])
  })

  test('that fails is answered with nothing, and told', async () => {
    const cause = new Error('no')
    const { open, faults } = await serving({ handleHook: () => Promise.reject(cause) })
    expect(await (await open()).post('{}').answer()).toMatchObject({ status: 200, body: '' })
    expect(faults).toEqual([{ client: 'claude-code', problem: 'The hook failed.', cause }])
  })

  test.each<[string, unknown, string]>([
    ['is refused in words where there are some', { why: 'full' }, '{"why":"full"}'],
    ['is let go on where that must be', undefined, ''],
  ])('that fails for whoever must not go on then %s', async (_, closing, body) => {
    const closeFor = vi.fn<HttpOptions['closeFor']>(() => closing)
    const cause = new Error('no')
    const { open, faults } = await serving({ handleHook: () => Promise.reject(cause), closeFor })
    const talk = await open()
    const url = '/hook/claude-code/strict'
    expect(await talk.post('{"a":1}', { url }).answer()).toMatchObject({ status: 200, body })
    expect(closeFor.mock.calls).toEqual([[{ a: 1 }, faults[0]]])
    expect(await talk.post('{"a":1}').answer()).toMatchObject({ status: 200, body: '' })
    expect(closeFor).toHaveBeenCalledTimes(1)
  })

  test('that fails says so to whoever must not go on then, and decides as ever', async () => {
    const url = '/hook/claude-code/strict'
    const failing = await serving({ handleHook: () => Promise.reject(new Error('no')) })
    const talk = await failing.open()
    const answer = await talk.post('{}', { url }).answer()
    expect(answer).toMatchObject({ status: 503, body: '{"error":"Service Unavailable"}' })
    expect(await talk.post('not JSON', { url }).answer()).toMatchObject({ status: 503 })
    expect(failing.faults).toHaveLength(2)
    const slow = await serving({ handleHook: () => new Promise(() => undefined), hookMilliseconds: 30 })
    expect(await (await slow.open()).post('{}', { url }).answer()).toMatchObject({ status: 503 })
    const { open } = await serving()
    expect(await (await open()).post('{"a":1}', { url }).answer()).toMatchObject({
      status: 200,
      body: '{"client":"claude-code","a":1}',
    })
  })

  test.each([['a text'], [7], [['a list']], [true]])(
    'that is decided by %j is answered with nothing',
    async (reply) => {
      const { open, faults } = await serving({ handleHook: () => Promise.resolve(reply) })
      expect(await (await open()).post('{}').answer()).toMatchObject({ status: 200, body: '' })
      expect(faults).toHaveLength(1)
    },
  )

  test('that is not decided in time is answered with nothing, and its work may still end', async () => {
    const late = Promise.withResolvers<unknown>()
    const { open, faults, handleHook } = await serving({
      handleHook: () => late.promise,
      hookMilliseconds: 30,
    })
    const talk = await open()
    const before = Date.now()
    expect(await talk.post('{}').answer()).toMatchObject({ status: 200, body: '' })
    expect(faults).toEqual([{ client: 'claude-code', problem: 'The hook was not decided within 30 ms.' }])
    expect(handleHook.mock.calls[0]?.[2]).toBeGreaterThanOrEqual(before + 30)
    late.resolve({ decision: 'block' })
    expect(await talk.post('{}', { token: 'x' }).answer()).toMatchObject({ status: 401 })
    expect(await talk.closed()).toBe('')
  })

  test.each<[string, string | Uint8Array]>([
    ['nothing', ''],
    ['no JSON', '{"a":'],
    ['two values', '{} {}'],
    ['what is no text', Uint8Array.of(0x22, 0xff, 0x22)],
    ['more depth than allowed', '['.repeat(LIMITS.depth + 1) + ']'.repeat(LIMITS.depth + 1)],
    ['more keys than allowed', `{${'"a":1,'.repeat(LIMITS.keys)}"a":1}`],
  ])('of %s is answered with nothing, and told', async (_, body) => {
    const { open, faults, handleHook } = await serving()
    expect(await (await open()).post(body).answer()).toMatchObject({ status: 200, body: '' })
    expect(faults).toHaveLength(1)
    expect(handleHook).not.toHaveBeenCalled()
  })

  test('may be as long as allowed, and one byte more is answered with nothing', async () => {
    const { open, faults, handleHook } = await serving({ hookBytes: 200_000 })
    const talk = await open()
    const fits = JSON.stringify({ a: 'x'.repeat(200_000 - 8) })
    expect((await talk.post(fits).answer())?.body).toContain('xxx')
    expect(await talk.post(`${fits} `).answer()).toMatchObject({ status: 200, body: '' })
    expect(faults).toEqual([{ client: 'claude-code', problem: 'A hook may report 200000 bytes.' }])
    expect(handleHook).toHaveBeenCalledTimes(1)
  })

  test('whose fault cannot be told either goes on all the same', async () => {
    const onFault = () => {
      throw new Error('The log is full.')
    }
    const { open, handleHook } = await serving({ onFault, handleHook: () => Promise.reject(new Error('no')) })
    expect(await (await open()).post('{}').answer()).toMatchObject({ status: 200, body: '' })
    handleHook.mockResolvedValue({ a: 1 })
    expect(await (await open()).post('{}').answer()).toMatchObject({ body: '{"a":1}' })
  })

  test('beyond what can be worked on at once is answered with nothing', async () => {
    const first = Promise.withResolvers<unknown>()
    const { open, faults, handleHook } = await serving({ handleHook: () => first.promise, maxUnderWay: 1 })
    const [one, other] = [await open(), await open()]
    one.post('{}')
    await untilCalled(handleHook)
    expect(await other.post('{}').answer()).toMatchObject({ status: 200, body: '' })
    expect(faults).toEqual([{ client: 'claude-code', problem: 'Too much is under way.' }])
    expect(await other.post('{}', { url: '/rpc' }).answer()).toMatchObject({ status: 503 })
    first.resolve({ a: 1 })
    expect(await one.answer()).toMatchObject({ body: '{"a":1}' })
  })
})

describe('a call', () => {
  const rpc = { url: '/rpc' }

  test('is answered as over the socket, alone and with others', async () => {
    const { open } = await serving()
    const talk = await open()
    const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'x', params: { id } })
    expect((await talk.post(JSON.stringify(call(1)), rpc).answer())?.body).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"id":1}}',
    )
    expect((await talk.post(JSON.stringify([call(1), call(2)]), rpc).answer())?.body).toBe(
      '[{"jsonrpc":"2.0","id":1,"result":{"id":1}},{"jsonrpc":"2.0","id":2,"result":{"id":2}}]',
    )
  })

  test('that wants no answer gets none', async () => {
    const { open, dispatch } = await serving()
    expect(await (await open()).post('{"jsonrpc":"2.0","method":"x"}', rpc).answer()).toMatchObject({
      body: '',
    })
    expect(dispatch).toHaveBeenCalledTimes(1)
  })

  test('that fails says why', async () => {
    const { open } = await serving({ dispatch: () => Promise.reject(new Error('no')) })
    const answer = await (await open()).post('{"jsonrpc":"2.0","id":7,"method":"x"}', rpc).answer()
    expect(answer?.body).toBe('{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"Error: no"}}')
  })

  test.each<[string, string, number]>([
    ['no JSON', '{"a":', -32700],
    ['no request', '7', -32600],
    ['no calls', '[]', -32600],
    ['too many calls', `[${'1,'.repeat(LIMITS.batch)}1]`, -32013],
    ['too deep', '['.repeat(65) + ']'.repeat(65), -32013],
    ['too long', ' '.repeat(LIMITS.bytes + 1), -32013],
  ])('of %s is told so', async (_, body, code) => {
    const { open, dispatch } = await serving()
    const answer = await (await open()).post(body, rpc).answer()
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ id: null, error: { code } })
    expect(dispatch).not.toHaveBeenCalled()
  })

  test('learns that its caller has gone', async () => {
    const gone = Promise.withResolvers<void>()
    const { open, dispatch } = await serving({
      async dispatch(_, __, peer) {
        peer.gone.addEventListener('abort', () => gone.resolve())
        await gone.promise
      },
    })
    const talk = (await open()).post('{"jsonrpc":"2.0","id":7,"method":"x"}', rpc)
    await untilCalled(dispatch)
    talk.socket.destroy()
    expect(await gone.promise).toBeUndefined()
  })
})

describe('what is refused', () => {
  const HEAD = (port: number) => `Host: 127.0.0.1:${port}\r\n`
  const LENGTH = 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'
  const AUTH = `Authorization: Bearer ${TOKENS.hook}\r\n`

  test.each<[string, number, (port: number) => string]>([
    ['another Host', 403, () => `POST /hook/a HTTP/1.1\r\nHost: evil.test\r\n${AUTH}${LENGTH}`],
    ['no Host', 403, () => `POST /hook/a HTTP/1.1\r\n${AUTH}${LENGTH}`],
    ['no Host, as of old', 403, () => `POST /hook/a HTTP/1.0\r\n${AUTH}${LENGTH}`],
    ['two Hosts', 403, (p) => `POST /hook/a HTTP/1.1\r\n${HEAD(p)}Host: evil.test\r\n${AUTH}${LENGTH}`],
    [
      'a foreign Origin',
      403,
      (p) => `POST /hook/a HTTP/1.1\r\n${HEAD(p)}Origin: http://evil.test\r\n${AUTH}${LENGTH}`,
    ],
    ['no token', 401, (p) => `POST /hook/a HTTP/1.1\r\n${HEAD(p)}${LENGTH}`],
    ['the token of hooks for a call', 401, (p) => `POST /rpc HTTP/1.1\r\n${HEAD(p)}${AUTH}${LENGTH}`],
    ['a script tag', 401, (p) => `GET /rpc HTTP/1.1\r\n${HEAD(p)}\r\n`],
    [
      'what a browser asks before',
      401,
      (p) => `OPTIONS /hook/a HTTP/1.1\r\n${HEAD(p)}Access-Control-Request-Method: POST\r\n\r\n`,
    ],
    ['GET', 405, (p) => `GET /hook/a HTTP/1.1\r\n${HEAD(p)}${AUTH}\r\n`],
    [
      'a web socket',
      405,
      (p) => `GET /hook/a HTTP/1.1\r\n${HEAD(p)}${AUTH}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    ],
    [
      'text',
      415,
      (p) =>
        `POST /hook/a HTTP/1.1\r\n${HEAD(p)}${AUTH}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}`,
    ],
    [
      'the address of another',
      401,
      (p) => `POST http://evil.test/hook/a HTTP/1.1\r\n${HEAD(p)}${AUTH}${LENGTH}`,
    ],
    ['no HTTP', 400, () => '{"jsonrpc":"2.0","id":1,"method":"daemon.stop"}\r\n\r\n'],
    ['two lengths', 400, (p) => `POST /hook/a HTTP/1.1\r\n${HEAD(p)}${AUTH}Content-Length: 3\r\n${LENGTH}`],
    [
      'a length and chunks',
      400,
      (p) => `POST /hook/a HTTP/1.1\r\n${HEAD(p)}${AUTH}Transfer-Encoding: chunked\r\n${LENGTH}`,
    ],
    ['a head without end', 431, (p) => `POST /hook/a HTTP/1.1\r\n${HEAD(p)}X: ${'x'.repeat(20_000)}\r\n\r\n`],
  ])('%s: %i, no word more, and the connection ends', async (_, status, request) => {
    const { open, port, handleHook, dispatch } = await serving()
    const talk = (await open()).send(request(port))
    const answer = await talk.answer()
    expect(answer?.status).toBe(status)
    expect(Object.keys(JSON.parse(answer?.body ?? '') as object)).toEqual(['error'])
    expect(Object.keys(answer?.headers ?? {}).filter((name) => name.startsWith('access-control'))).toEqual([])
    expect(answer?.headers['connection']).toBe('close')
    expect(await talk.closed()).toBe('')
    expect(handleHook).not.toHaveBeenCalled()
    expect(dispatch).not.toHaveBeenCalled()
  })

  test('a way through to elsewhere is closed without a word', async () => {
    const { open } = await serving()
    expect(
      await (await open()).send('CONNECT evil.test:80 HTTP/1.1\r\nHost: evil.test:80\r\n\r\n').closed(),
    ).toBe('')
  })

  test('is told at once although most of it has not come, and nobody is asked to send it', async () => {
    const { open, port } = await serving()
    const head = `POST /hook/a HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n`
    for (const expect100 of ['', 'Expect: 100-continue\r\n']) {
      const talk = (await open()).send(`${head}${expect100}Content-Length: 1000000000\r\n\r\n`)
      expect((await talk.answer())?.status).toBe(401)
    }
  })

  test('the old token, as soon as there is a new one', async () => {
    let tokens = TOKENS
    const { open } = await serving({ tokens: () => tokens })
    const talk = await open()
    expect(await talk.post('{"a":1}').answer()).toMatchObject({ status: 200 })
    tokens = { hook: 'n'.repeat(43), full: 'm'.repeat(43) }
    expect(await talk.post('{"a":1}').answer()).toMatchObject({ status: 401 })
    const again = await open()
    expect(await again.post('{"a":1}', { token: tokens.hook }).answer()).toMatchObject({ status: 200 })
  })
})

describe('a connection', () => {
  test('is kept, and requests that come together are answered in their order', async () => {
    const { open, faults } = await serving({
      async handleHook(_, payload) {
        await sleep((payload as { wait: number }).wait)
        return payload
      },
    })
    const talk = await open()
    for (const wait of [30, 0, 15]) talk.post(JSON.stringify({ wait }))
    for (const wait of [30, 0, 15]) expect((await talk.answer())?.body).toBe(JSON.stringify({ wait }))
    talk.post('{"wait":1}')
    expect(await talk.answer()).toMatchObject({ headers: { connection: 'keep-alive' } })
    expect(faults).toEqual([])
  })

  test('brings its request in chunks, byte by byte, or after it was asked to go on', async () => {
    const { open } = await serving()
    const chunked = ['Content-Type: application/json', 'Transfer-Encoding: chunked']
    const talk = await open()
    talk.post('3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n', { headers: chunked })
    expect((await talk.answer())?.body).toBe('{"client":"claude-code","a":1}')
    const [first = '', ...rest] = '{"b":2}'
    talk.post(first, { headers: ['Content-Type: application/json', 'Content-Length: 7'] })
    for (const letter of rest) {
      await sleep(2)
      talk.send(letter)
    }
    expect((await talk.answer())?.body).toBe('{"client":"claude-code","b":2}')
    talk.post('', {
      headers: ['Content-Type: application/json', 'Content-Length: 7', 'Expect: 100-continue'],
    })
    expect((await talk.answer())?.status).toBe(100)
    expect((await talk.send('{"c":3}').answer())?.body).toBe('{"client":"claude-code","c":3}')
  })

  test('of the old kind is answered and ends', async () => {
    const { open, port } = await serving()
    const head = `POST /hook/a HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${TOKENS.hook}\r\n`
    const talk = (await open()).send(
      `${head}Content-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}`,
    )
    expect((await talk.answer())?.body).toBe('{"client":"a","a":1}')
    expect(await talk.closed()).toBe('')
  })

  test.each<[string, string]>([
    ['says nothing', ''],
    ['does not end its head', 'POST /hook/a HTTP/1.1\r\n'],
    [
      'does not end its body',
      `POST /hook/a HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAuthorization: Bearer ${TOKENS.hook}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    ],
  ])('that %s is cut off after its time; meanwhile others are served', async (_, begun) => {
    const { open, port, handleHook } = await serving({ frameMilliseconds: 100 })
    const [slow, other] = [await open(), await open()]
    slow.send(begun.replace('PORT', String(port)))
    expect(await other.post('{"a":1}').answer()).toMatchObject({ status: 200 })
    const answer = await slow.answer()
    expect(answer?.status).toBe(408)
    expect(await slow.closed()).toBe('')
    expect(handleHook).toHaveBeenCalledTimes(1)
  })

  test('beyond the most that may be open is dropped', async () => {
    const { open } = await serving({ maxConnections: 2 })
    const [one] = [await open(), await open()]
    expect(await (await open()).closed()).toBe('')
    expect(await one.post('{"a":1}').answer()).toMatchObject({ status: 200 })
  })

  test('is open to this machine only', async () => {
    const { port } = await serving()
    const socket = createConnection({ port, host: '::1' })
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
    expect(['ECONNREFUSED', 'EADDRNOTAVAIL', 'EAFNOSUPPORT']).toContain(error.code)
  })
})

describe('closing', () => {
  test('answers what is under way, ends idle connections and takes no new ones', async () => {
    const hook = Promise.withResolvers<unknown>()
    const { server, open, port, handleHook } = await serving({ handleHook: () => hook.promise })
    const [idle, silent, busy] = [await open(), await open(), await open()]
    idle.post('{"jsonrpc":"2.0","id":7,"method":"x"}', { url: '/rpc' })
    await idle.answer()
    busy.post('{}')
    await untilCalled(handleHook)
    const closed = server.close(60_000)
    const refused = createConnection({ port, host: '127.0.0.1' })
    expect(await once(refused, 'error')).toMatchObject([{ code: 'ECONNREFUSED' }])
    hook.resolve({ a: 1 })
    expect(await busy.answer()).toMatchObject({ body: '{"a":1}' })
    await closed
    for (const talk of [idle, silent, busy]) expect(await talk.closed()).toBe('')
  })

  test('does not wait for what a sender that left did not send', async () => {
    const { server, open } = await serving()
    const headers = ['Content-Type: application/json', 'Content-Length: 9']
    const [left, served] = [(await open()).post('{', { headers }), await open()]
    await served.post('{"a":1}').answer()
    left.socket.destroy()
    await left.closed()
    expect(await server.close(600_000)).toBeUndefined()
  })

  test('waits for work that its caller did not wait for, but not for ever', async () => {
    const hook = Promise.withResolvers<unknown>()
    const { server, open } = await serving({ handleHook: () => hook.promise, hookMilliseconds: 10 })
    await (await open()).post('{}').answer()
    let done = false
    const closed = server.close(60_000).then(() => void (done = true))
    await sleep(50)
    expect(done).toBe(false)
    hook.resolve(undefined)
    await closed

    const stuck = await serving({ handleHook: () => new Promise(() => undefined), hookMilliseconds: 10 })
    await (await stuck.open()).post('{}').answer()
    await stuck.server.close(20)
  })
})

test('whatever bytes are sent, nothing of it is handled, and the next one is served', async () => {
  const { open, port, handleHook, dispatch } = await serving()
  const head = `POST /hook/a HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`
  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.string({ maxLength: 300 }).map((text) => `${head}${text}`),
    fc
      .array(
        fc.constantFrom(
          'Authorization: Bearer ',
          'h',
          '\r\n',
          '\n',
          ' ',
          ':',
          '{}',
          'Content-Length: 2\r\n',
          'Transfer-Encoding: chunked\r\n',
          'Content-Type: application/json\r\n',
          'Expect: 100-continue\r\n',
          'Connection: Upgrade\r\n',
          '\0',
        ),
      )
      .map((parts) => `${head}${parts.join('')}\r\n\r\n{}`),
  )
  await fc.assert(
    fc.asyncProperty(noise, async (bytes) => {
      const talk = await Talk.open(port)
      talk.socket.end(bytes)
      await talk.closed()
      expect(handleHook).not.toHaveBeenCalled()
      expect(dispatch).not.toHaveBeenCalled()
    }),
    { numRuns: 300 },
  )
  expect(await (await open()).post('{"a":1}').answer()).toMatchObject({ status: 200 })
})
