import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plainPost } from './plain-post.ts'
import { serving, Talk, TOKENS, untilCalled } from './talk.contract.ts'

const headOf = (port: number) =>
  `POST /hook/a HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${TOKENS.hook}\r\nContent-Type: application/json\r\n`
const plainOf = (port: number) => `${headOf(port)}Content-Length: 7\r\n\r\n{"a":1}`

describe('a plain request', () => {
  test('gets the same bytes as from node:http', async () => {
    const { open, port } = await serving()
    const [plain, other] = [await open(), await open()]
    expect(plainPost(Buffer.from(plainOf(port)))).toBeDefined()
    for (const talk of [plain, plain, other]) {
      // An unknown header leaves the request to node:http.
      talk.send(plainOf(port).replace('\r\n', talk === other ? '\r\nX-Other: 1\r\n' : '\r\n'))
      while (!talk.received.endsWith('}')) await sleep(2)
    }
    expect(plain.received).toBe(other.received.repeat(2))
  })

  test('keeps its connection while its route works, and loses it after a silence', async () => {
    const hook = Promise.withResolvers<unknown>()
    const { open } = await serving({ handle: () => hook.promise, keepAliveMilliseconds: 20 })
    const talk = (await open()).post('{}')
    await sleep(100)
    hook.resolve({ a: 1 })
    expect(await talk.answer()).toMatchObject({ status: 200, body: '{"a":1}' })
    expect(await talk.closed()).toBe('')
  })

  test('whose route fails loses its connection, and the error is reported', async () => {
    const { open, errors, server } = await serving({ handle: () => Promise.reject(new Error('no')) })
    expect(await (await open()).post('{}').closed()).toBe('')
    expect(errors).toEqual([new Error('no')])
    await server.close(600_000)
  })

  test('whose caller leaves does not delay the end of the server', async () => {
    const hook = Promise.withResolvers<unknown>()
    const { open, handle, server } = await serving({ handle: () => hook.promise })
    const talk = (await open()).post('{}')
    await untilCalled(handle)
    talk.socket.destroy()
    await talk.closed()
    hook.resolve({})
    expect(await server.close(600_000)).toBeUndefined()
  })

  test('above the limit of requests in progress gets 503, like any other', async () => {
    const hook = Promise.withResolvers<unknown>()
    const { open, handle } = await serving({ handle: () => hook.promise, maxUnderWay: 1 })
    const [first, second] = [(await open()).post('{}'), await open()]
    await untilCalled(handle)
    expect(await second.post('{}').answer()).toMatchObject({ status: 503 })
    hook.resolve({ a: 1 })
    expect(await first.answer()).toMatchObject({ status: 200 })
  })
})

/** Lines that are fine, unusual or an attack. */
const LINES = [
  'Accept: */*',
  'Connection: keep-alive',
  'Connection: close',
  'Content-Length: 7',
  'content-length: 5',
  'Content-Length: 07',
  'Content-Length: +7',
  'Content-Length: 7, 7',
  'Content-Encoding: gzip',
  'Expect: 100-continue',
  'Host: evil.test',
  'Origin: http://evil.test',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: identity',
  'User-Agent:a',
  'User-Agent:  a ',
  'User-Agent : a',
  'User-Agent: é',
  'User-Agent: a\0b',
  'User-Agent: a\nContent-Length: 3',
  'User-Agent: a\r\n b',
  'User-Agent: a\rb',
  ': a',
  '',
  'Holdfast-Agent: ',
  `X-Long: ${'x'.repeat(17_000)}`,
]

/** Mostly the first choice. */
const mostly = (usual: string, ...others: readonly string[]) =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(usual) }, fc.constantFrom(...others))

const wild = (port: number) =>
  fc
    .tuple(
      mostly(
        'POST /hook/a HTTP/1.1',
        'POST /hook/a HTTP/1.0',
        'GET /hook/a HTTP/1.1',
        'POST /a?b HTTP/1.1',
        '\r',
      ),
      mostly(TOKENS.hook, TOKENS.full, 'x'),
      mostly('\r\n', '\n', '\r', '\r\n\r\n'),
      fc.constantFrom('Accept: a', ...LINES),
      mostly('Content-Length: 7', ...LINES),
      mostly('{"a":1}', '', '{"a"', '{"a":1}x', '\r\n\r\n{}', '0\r\n\r\n'),
    )
    .map(
      ([first, token, end, more, length, body]) =>
        `${first}\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json${end}${more}\r\n${length}\r\n\r\n${body}`,
    )

/** Every one of them ends where its length says. */
const tame = (port: number) =>
  fc
    .tuple(
      mostly('/hook/a', '/rpc', '/hook/a?b'),
      mostly('Accept: a', 'X-Other: 1', 'Origin: http://evil.test', 'User-Agent:  a'),
      mostly('{"a":1}', '{"wait":1}', '{"b":"\\r\\n\\r\\nPOST"}'),
    )
    .map(
      ([url, more, body]) =>
        `POST ${url} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${TOKENS.hook}\r\nContent-Type: application/json\r\n${more}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )

/** The other end of the next connection to a server of this process. */
function nextAccepted(): Promise<Socket> {
  return new Promise((resolve) => {
    const listener = (message: unknown) => {
      unsubscribe('net.server.socket', listener)
      resolve((message as { socket: Socket }).socket)
    }
    subscribe('net.server.socket', listener)
  })
}

/** Sends each part after the server has read those before. */
async function talking(port: number, parts: readonly Buffer[]): Promise<Talk> {
  const [talk, socket] = await Promise.all([Talk.open(port), nextAccepted()])
  let sent = 0
  for (const part of parts) {
    talk.send(part)
    sent += part.length
    while (socket.bytesRead < sent && !socket.destroyed) await turn()
    await turn()
  }
  return talk
}

/** The same bytes, but one byte alone is not plain, so node:http reads all. */
const forNode = ([first = Buffer.alloc(0), ...rest]: readonly Buffer[]) => [
  first.subarray(0, 1),
  first.subarray(1),
  ...rest,
]

function cut(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const all = [0, ...places.toSorted((a, b) => a - b), bytes.length]
  const parts = all.slice(1).map((place, index) => bytes.subarray(all[index], place))
  return parts.filter(({ length }) => length > 0)
}

describe('the answers are those of node:http', () => {
  test('if each request comes alone, whatever it is', async () => {
    const { port } = await serving()
    const answers = async (parts: readonly Buffer[]) => {
      const talk = await talking(port, parts)
      talk.socket.end()
      return await talk.closed()
    }
    let plain = 0
    await fc.assert(
      fc.asyncProperty(fc.array(wild(port), { minLength: 1, maxLength: 4 }), async (texts) => {
        const parts = texts.map((text) => Buffer.from(text, 'latin1'))
        plain += parts.filter((bytes) => plainPost(bytes) !== undefined).length
        expect(await answers(parts)).toBe(await answers(forNode(parts)))
      }),
      { numRuns: 200 },
    )
    expect(plain).toBeGreaterThan(20)
  })

  test('if requests come in any parts, one behind the other', async () => {
    const { port } = await serving({
      async handle(_, payload) {
        if ('wait' in (payload as object)) await sleep(1)
        return payload
      },
    })
    const answers = async (parts: readonly Buffer[]) => await (await talking(port, parts)).closed()
    const places = fc.array(fc.nat(1000), { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.array(tame(port), { maxLength: 4 }), places, async (texts, where) => {
        const last = plainOf(port).replace('\r\n', '\r\nConnection: close\r\n')
        const parts = cut(Buffer.from([...texts, last].join('')), where)
        expect(await answers(parts)).toBe(await answers(forNode(parts)))
      }),
      { numRuns: 150 },
    )
  })
})
