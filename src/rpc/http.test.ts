import { once } from 'node:events'
import { createConnection } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { send } from './reply.ts'
import type { Route } from './route.ts'
import { serving, Talk, TOKENS, untilCalled } from './talk.contract.ts'

describe('a refused request', () => {
  const HEAD = (port: number) => `Host: 127.0.0.1:${port}\r\n`
  const LENGTH = 'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'
  const AUTH = `Authorization: Bearer ${TOKENS.hook}\r\n`

  test.each<[string, number, (port: number) => string]>([
    ['another Host', 403, () => `POST /hook/a HTTP/1.1\r\nHost: evil.test\r\n${AUTH}${LENGTH}`],
    ['no Host', 403, () => `POST /hook/a HTTP/1.1\r\n${AUTH}${LENGTH}`],
    ['no Host in HTTP/1.0', 403, () => `POST /hook/a HTTP/1.0\r\n${AUTH}${LENGTH}`],
    ['two Hosts', 403, (p) => `POST /hook/a HTTP/1.1\r\n${HEAD(p)}Host: evil.test\r\n${AUTH}${LENGTH}`],
    [
      'a foreign Origin',
      403,
      (p) => `POST /hook/a HTTP/1.1\r\n${HEAD(p)}Origin: http://evil.test\r\n${AUTH}${LENGTH}`,
    ],
    ['no token', 401, (p) => `POST /hook/a HTTP/1.1\r\n${HEAD(p)}${LENGTH}`],
    ['the hook token for a call', 401, (p) => `POST /rpc HTTP/1.1\r\n${HEAD(p)}${AUTH}${LENGTH}`],
    ['a script tag', 401, (p) => `GET /rpc HTTP/1.1\r\n${HEAD(p)}\r\n`],
    [
      'a preflight',
      401,
      (p) => `OPTIONS /hook/a HTTP/1.1\r\n${HEAD(p)}Access-Control-Request-Method: POST\r\n\r\n`,
    ],
    ['GET', 405, (p) => `GET /hook/a HTTP/1.1\r\n${HEAD(p)}${AUTH}\r\n`],
    [
      'a WebSocket',
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
      'the URL of another server',
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
    ['a too long head', 431, (p) => `POST /hook/a HTTP/1.1\r\n${HEAD(p)}X: ${'x'.repeat(20_000)}\r\n\r\n`],
  ])('with %s gets %i and no details, and the connection ends', async (_, status, request) => {
    const { open, port, handle } = await serving()
    const talk = (await open()).send(request(port))
    const answer = await talk.answer()
    expect(answer?.status).toBe(status)
    expect(Object.keys(JSON.parse(answer?.body ?? '') as object)).toEqual(['error'])
    expect(Object.keys(answer?.headers ?? {}).filter((name) => name.startsWith('access-control'))).toEqual([])
    expect(answer?.headers['connection']).toBe('close')
    expect(await talk.closed()).toBe('')
    expect(handle).not.toHaveBeenCalled()
  })

  test('to tunnel elsewhere is closed without an answer', async () => {
    const { open } = await serving()
    expect(
      await (await open()).send('CONNECT evil.test:80 HTTP/1.1\r\nHost: evil.test:80\r\n\r\n').closed(),
    ).toBe('')
  })

  test('gets its answer before its body arrives, and no invitation to send it', async () => {
    const { open, port } = await serving()
    const head = `POST /hook/a HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n`
    for (const expect100 of ['', 'Expect: 100-continue\r\n']) {
      const talk = (await open()).send(`${head}${expect100}Content-Length: 1000000000\r\n\r\n`)
      expect((await talk.answer())?.status).toBe(401)
    }
  })

  test('is answered even if bytes that are no request follow at once', async () => {
    const { open, port } = await serving()
    const refused = `POST /hook/a HTTP/1.1\r\n${HEAD(port)}${LENGTH}`
    const talk = (await open()).send(`${refused}no request\r\n\r\n`)
    expect(await talk.answer()).toMatchObject({ status: 401 })
    expect(await talk.closed()).toBe('')
  })

  test('includes one with the old token, as soon as the token changes', async () => {
    let tokens = TOKENS
    const { open } = await serving({ tokens: () => tokens })
    const talk = await open()
    expect(await talk.post('{"a":1}').answer()).toMatchObject({ status: 200 })
    tokens = { ...tokens, hook: 'n'.repeat(43), full: 'm'.repeat(43) }
    expect(await talk.post('{"a":1}').answer()).toMatchObject({ status: 401 })
    const again = await open()
    expect(await again.post('{"a":1}', { token: tokens.hook }).answer()).toMatchObject({ status: 200 })
  })
})

describe('a connection', () => {
  test('is kept open, and pipelined requests are answered in order', async () => {
    const { open, errors } = await serving({
      async handle(_, payload) {
        await sleep((payload as { wait: number }).wait)
        return payload
      },
    })
    const talk = await open()
    for (const wait of [30, 0, 15]) talk.post(JSON.stringify({ wait }))
    for (const wait of [30, 0, 15]) expect((await talk.answer())?.body).toBe(JSON.stringify({ wait }))
    talk.post('{"wait":1}')
    expect(await talk.answer()).toMatchObject({ headers: { connection: 'keep-alive' } })
    expect(errors).toEqual([])
  })

  test('accepts a request in chunks, byte by byte, or with `Expect: 100-continue`', async () => {
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

  test('of HTTP/1.0 is answered and closed', async () => {
    const { open, port } = await serving()
    const head = `POST /hook/a HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${TOKENS.hook}\r\n`
    const talk = (await open()).send(
      `${head}Content-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}`,
    )
    expect((await talk.answer())?.body).toBe('{"client":"a","a":1}')
    expect(await talk.closed()).toBe('')
  })

  test.each<[string, string]>([
    ['sends nothing', ''],
    ['does not end its head', 'POST /hook/a HTTP/1.1\r\n'],
    [
      'does not end its body',
      `POST /hook/a HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAuthorization: Bearer ${TOKENS.hook}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    ],
  ])('that %s is closed after its time limit; meanwhile others are served', async (_, begun) => {
    const { open, port, handle } = await serving({ headMilliseconds: 100, frameMilliseconds: 100 })
    const [slow, other] = [await open(), await open()]
    slow.send(begun.replace('PORT', String(port)))
    expect(await other.post('{"a":1}').answer()).toMatchObject({ status: 200 })
    const answer = await slow.answer()
    expect(answer?.status).toBe(408)
    expect(await slow.closed()).toBe('')
    expect(handle).toHaveBeenCalledTimes(1)
  })

  test('without a token gives way to newer ones above the limit; one with a token stays', async () => {
    const drops: string[] = []
    const { open, port } = await serving({ maxStrangers: 2, onDrop: (why) => void drops.push(why) })
    const known = await open()
    expect(await known.post('{"a":1}').answer()).toMatchObject({ status: 200 })
    const wrong = (await open()).send(`POST /hook/a HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`)
    const [silent, third] = [await open(), await open()]
    expect(await wrong.closed()).toBe('')
    const fourth = await open()
    expect(await silent.closed()).toBe('')
    expect(drops).toEqual(['room', 'room'])
    for (const talk of [known, third, fourth])
      expect(await talk.post('{"a":1}').answer()).toMatchObject({ status: 200 })
  })

  test('with a token gives way above the limit if it is idle, the one that asked first', async () => {
    const hook = Promise.withResolvers<object>()
    const { open, handle } = await serving({
      maxConnections: 2,
      handle: (client) => (client === 'slow' ? hook.promise : Promise.resolve({})),
    })
    const busy = (await open()).post('{}', { url: '/hook/slow' })
    await untilCalled(handle)
    const [idle, next] = [await open(), await open()]
    for (const talk of [idle, next]) expect(await talk.post('{}').answer()).toMatchObject({ status: 200 })
    expect(await idle.closed()).toBe('')
    hook.resolve({})
    expect(await busy.answer()).toMatchObject({ status: 200 })
    expect(await next.post('{}').answer()).toMatchObject({ status: 200 })
  })

  test('that reads nothing of its answer is dropped', async () => {
    const drops: string[] = []
    const { open } = await serving({
      handle: () => Promise.resolve('x'.repeat(50_000_000)),
      unreadMilliseconds: 50,
      onDrop: (why) => void drops.push(why),
    })
    const greedy = await open()
    greedy.socket.pause()
    greedy.post('{}')
    while (drops.length === 0) await sleep(5)
    expect(drops).toEqual(['unread'])
    expect(await (await open()).send(`GET / HTTP/1.1\r\n\r\n`).answer()).toMatchObject({ status: 403 })
  })

  test('is open to this machine only', async () => {
    const { port } = await serving()
    const socket = createConnection({ port, host: '::1' })
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
    expect(['ECONNREFUSED', 'EADDRNOTAVAIL', 'EAFNOSUPPORT']).toContain(error.code)
  })
})

describe('closing', () => {
  test('answers requests in progress, ends idle connections and accepts no new ones', async () => {
    const hook = Promise.withResolvers<unknown>()
    const { server, open, port, handle } = await serving({
      handle: (client) => (client === 'nobody' ? Promise.resolve({}) : hook.promise),
    })
    const [idle, silent, busy] = [await open(), await open(), await open()]
    idle.post('{"jsonrpc":"2.0","id":7,"method":"x"}', { url: '/rpc' })
    await idle.answer()
    handle.mockClear()
    busy.post('{}')
    await untilCalled(handle)
    const closed = server.close(60_000)
    const refused = createConnection({ port, host: '127.0.0.1' })
    expect(await once(refused, 'error')).toMatchObject([{ code: 'ECONNREFUSED' }])
    hook.resolve({ a: 1 })
    expect(await busy.answer()).toMatchObject({ body: '{"a":1}' })
    await closed
    for (const talk of [idle, silent, busy]) expect(await talk.closed()).toBe('')
  })

  test('does not wait for the rest of a body whose sender left', async () => {
    const { server, open } = await serving()
    const headers = ['Content-Type: application/json', 'Content-Length: 9']
    const [left, served] = [(await open()).post('{', { headers }), await open()]
    await served.post('{"a":1}').answer()
    left.socket.destroy()
    await left.closed()
    expect(await server.close(600_000)).toBeUndefined()
  })

  test('waits for work whose caller left, but not forever', async () => {
    const early = (work: Promise<void>): readonly Route[] => [
      {
        method: 'POST',
        path: '/hook/:client',
        token: 'hook',
        async serve({ response }) {
          send(response, '')
          await work
        },
      },
    ]
    const work = Promise.withResolvers<void>()
    const { server, open } = await serving({ routes: early(work.promise) })
    await (await open()).post('{}').answer()
    let done = false
    const closed = server.close(60_000).then(() => void (done = true))
    await sleep(50)
    expect(done).toBe(false)
    work.resolve()
    await closed

    const stuck = await serving({ routes: early(new Promise(() => undefined)) })
    await (await stuck.open()).post('{}').answer()
    await stuck.server.close(20)
  })
})

test('random bytes are never handled as a request, and the next request is served', async () => {
  const { open, port, handle } = await serving()
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
      expect(handle).not.toHaveBeenCalled()
    }),
    { numRuns: 300 },
  )
  expect(await (await open()).post('{"a":1}').answer()).toMatchObject({ status: 200 })
})
