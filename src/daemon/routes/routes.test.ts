import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { GetRoute, Route } from '../../rpc/route.ts'
import { type Talk, TOKENS } from '../../rpc/talk.contract.ts'
import { routes } from './index.ts'
import { serving } from './serving.contract.ts'

const nothing = () => Promise.resolve({})
const table = routes({
  dispatch: nothing,
  toError: () => ({ code: 0, message: '' }),
  faults: { note: () => undefined, close: () => undefined, tell: () => undefined },
})
const urlOf = ({ path }: Route) => path.replaceAll(/:[a-z]+/g, 'one')

/** Sends a valid request to a route, except for the token. */
function asking(talk: Talk, route: Route, token?: string): Talk {
  const lines = [
    `${route.method} ${urlOf(route)} HTTP/1.1`,
    `Host: 127.0.0.1:${talk.port}`,
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    ...(route.method === 'GET' ? [] : ['Content-Type: application/json', 'Content-Length: 2']),
  ]
  return talk.send(`${lines.join('\r\n')}\r\n\r\n${route.method === 'GET' ? '' : '{}'}`)
}

describe('every route', () => {
  test.each(table)('$method $path is refused without its own token, and has no effect', async (route) => {
    const { open, handleHook, dispatch } = await serving()
    const other = route.token === 'full' ? TOKENS.hook : TOKENS.full
    for (const token of [undefined, '', other, `${TOKENS[route.token]}x`]) {
      const answer = await asking(await open(), route, token).answer()
      expect(answer).toMatchObject({ status: 401, body: '{"error":"Unauthorized"}' })
    }
    expect(handleHook).not.toHaveBeenCalled()
    expect(dispatch).not.toHaveBeenCalled()
  })

  test.each(table)('$method $path is served with its token', async (route) => {
    const { open } = await serving()
    const answer = await asking(await open(), route, TOKENS[route.token]).answer()
    expect(answer).toMatchObject({ status: 200 })
  })

  test('has the same token as the other routes of its path', () => {
    const tokens = new Map<string, Set<string>>()
    for (const { path, token } of table) tokens.set(path, (tokens.get(path) ?? new Set()).add(token))
    expect([...tokens.values()].filter(({ size }) => size > 1)).toEqual([])
  })
})

/** A route that streams until the caller leaves, as a page that follows the ledger would. */
const counting: GetRoute = {
  method: 'GET',
  path: '/numbers/:from',
  token: 'full',
  async serve({ words: [from], response, closing }) {
    const left = new AbortController()
    response.on('close', () => left.abort()).writeHead(200, { 'Content-Type': 'text/event-stream' })
    const isOver = AbortSignal.any([left.signal, closing])
    for (let count = Number(from); !isOver.aborted; count++) {
      response.write(`data: ${count}\n\n`)
      await sleep(5)
    }
    response.end()
  },
}

describe('a route that streams', () => {
  const ask = (talk: Talk, from: number, token?: string) =>
    asking(talk, { ...counting, path: `/numbers/${from}` }, token)
  /** Never resolves if the other end sends something else. */
  const isTold = async (talk: Talk, text: string) => {
    while (!talk.received.includes(text)) {
      expect(talk.received).not.toContain('error')
      await sleep(2)
    }
  }

  test('sends more and more on one request, while other requests are served', async () => {
    const { open } = await serving({ more: [counting] })
    const talk = ask(await open(), 7, TOKENS.full)
    for (const number of [7, 8, 9]) await isTold(talk, `data: ${number}\n`)
    expect(talk.received).toContain('Content-Type: text/event-stream')
    expect(await (await open()).post('{}').answer()).toMatchObject({ status: 200 })
    await isTold(talk, 'data: 20\n')
  })

  test('is refused without its token, like every route', async () => {
    const { open } = await serving({ more: [counting] })
    for (const token of [undefined, '', TOKENS.hook])
      expect(await ask(await open(), 7, token).answer()).toMatchObject({ status: 401 })
    const posted = (await open()).post('{}', { url: '/numbers/7', token: TOKENS.full })
    expect(await posted.answer()).toMatchObject({ status: 405 })
  })

  test('sees that its caller left, and ends when the server stops, whatever its timeout', async () => {
    const ended = Promise.withResolvers<void>()
    const watched = {
      ...counting,
      serve: (exchange: Parameters<GetRoute['serve']>[0]) => counting.serve(exchange).finally(ended.resolve),
    }
    const { server, open } = await serving({ more: [watched] })
    const leaving = ask(await open(), 1, TOKENS.full)
    await isTold(leaving, 'data: 1\n')
    leaving.socket.destroy()
    await ended.promise
    const staying = ask(await open(), 1, TOKENS.full)
    await isTold(staying, 'data: 1\n')
    await server.close(600_000)
    expect(await staying.closed()).toMatch(/0\r\n\r\n$/)
  })
})
