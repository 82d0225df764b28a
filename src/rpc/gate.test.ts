import { describe, expect, test } from 'vitest'
import { admit, type Head, listed } from './gate.ts'
import type { Route } from './route.ts'

const TOKENS = { hook: 'h'.repeat(43), full: 'f'.repeat(43), countersign: 'p'.repeat(43) }
const PORT = 23456

const route = (path: string, token: Route['token'], method: Route['method'] = 'POST'): Route => ({
  method,
  path,
  token,
  serve: () => Promise.resolve(),
})
const ROUTES = listed([
  route('/hook/:client', 'hook'),
  route('/hook/:client/strict', 'hook'),
  route('/statusline/:client', 'hook'),
  route('/rpc', 'full'),
  route('/page', 'full', 'GET'),
  route('/both/:one/:other', 'full', 'GET'),
  route('/both/:one/:other', 'full'),
])

type Headers = readonly (readonly [string, string])[]

const HOST = ['Host', `127.0.0.1:${PORT}`] as const
const TYPE = ['Content-Type', 'application/json'] as const
const HOOK = ['Authorization', `Bearer ${TOKENS.hook}`] as const
const FULL = ['Authorization', `Bearer ${TOKENS.full}`] as const

const head = (headers: Headers, more: Partial<Head> = {}): Head => ({
  method: 'POST',
  url: '/hook/claude-code',
  rawHeaders: headers.flat(),
  ...more,
})

const statusOf = (request: Head) => {
  const verdict = admit(request, { port: PORT, tokens: TOKENS, routes: ROUTES })
  return verdict.kind === 'refused' ? verdict.status : [verdict.route.path, ...verdict.words]
}

describe('the gate admits', () => {
  test.each<[string, Head, object]>([
    ['a hook', head([HOST, TYPE, HOOK]), ['/hook/:client', 'claude-code']],
    [
      'a hook with the other host name of this machine',
      head([['host', `localhost:${PORT}`], TYPE, HOOK]),
      ['/hook/:client', 'claude-code'],
    ],
    ['a call', head([HOST, TYPE, FULL], { url: '/rpc' }), ['/rpc']],
    [
      'a status line',
      head([HOST, TYPE, HOOK], { url: '/statusline/claude-code' }),
      ['/statusline/:client', 'claude-code'],
    ],
    [
      'a page of our own',
      head([HOST, TYPE, FULL, ['Origin', `http://127.0.0.1:${PORT}`]], { url: '/rpc' }),
      ['/rpc'],
    ],
    [
      'a hook of a strict project',
      head([HOST, TYPE, HOOK], { url: '/hook/claude-code/strict' }),
      ['/hook/:client/strict', 'claude-code'],
    ],
    ['a page, which has no body', head([HOST, FULL], { url: '/page', method: 'GET' }), ['/page']],
    [
      'a path with two names and one method',
      head([HOST, FULL], { url: '/both/a/b-2', method: 'GET' }),
      ['/both/:one/:other', 'a', 'b-2'],
    ],
    [
      'the same path with another method',
      head([HOST, TYPE, FULL], { url: '/both/a/b-2' }),
      ['/both/:one/:other', 'a', 'b-2'],
    ],
    [
      'JSON with a charset',
      head([HOST, HOOK, ['content-type', 'Application/JSON; charset=utf-8']]),
      ['/hook/:client', 'claude-code'],
    ],
    [
      'a request with proxy headers',
      head([HOST, TYPE, HOOK, ['X-Forwarded-Host', 'evil.test']]),
      ['/hook/:client', 'claude-code'],
    ],
  ])('%s', (_, request, expected) => {
    expect(statusOf(request)).toEqual(expected)
  })
})

describe('a Host that is not exactly ours', () => {
  test.each([
    '',
    '127.0.0.1',
    `127.0.0.1:${PORT + 1}`,
    `127.0.0.1:${PORT}.`,
    `127.0.0.1.:${PORT}`,
    `127.0.0.1:0${PORT}`,
    ` 127.0.0.1:${PORT}`,
    `127.0.0.1:${PORT},evil.test`,
    `user@127.0.0.1:${PORT}`,
    `127.1:${PORT}`,
    `2130706433:${PORT}`,
    `0x7f000001:${PORT}`,
    `0177.0.0.1:${PORT}`,
    `0.0.0.0:${PORT}`,
    `[::1]:${PORT}`,
    `[::ffff:127.0.0.1]:${PORT}`,
    `LOCALHOST:${PORT}`,
    `localhost.:${PORT}`,
    `localhost.evil.test:${PORT}`,
    `127.0.0.1.evil.test:${PORT}`,
    `evil.test:${PORT}`,
    'evil.test',
  ])('is refused: %j', (host) => {
    expect(statusOf(head([['Host', host], TYPE, HOOK]))).toBe(403)
  })

  test('is refused if it is missing', () => {
    expect(statusOf(head([TYPE, HOOK]))).toBe(403)
  })

  test('is refused if it is repeated, in either order', () => {
    expect(statusOf(head([HOST, ['host', 'evil.test'], TYPE, HOOK]))).toBe(403)
    expect(statusOf(head([['host', 'evil.test'], HOST, TYPE, HOOK]))).toBe(403)
    expect(statusOf(head([HOST, HOST, TYPE, HOOK]))).toBe(403)
  })
})

describe('an Origin that is not exactly ours', () => {
  test.each([
    '',
    'null',
    `https://127.0.0.1:${PORT}`,
    `http://127.0.0.1:${PORT}/`,
    `http://127.0.0.1:${PORT + 1}`,
    'http://127.0.0.1',
    `http://localhost:${PORT}`,
    `http://[::1]:${PORT}`,
    'http://evil.test',
    `http://127.0.0.1:${PORT}.evil.test`,
    `http://127.0.0.1:${PORT} http://evil.test`,
    'file://',
    'chrome-extension://abc',
  ])('is refused: %j', (origin) => {
    expect(statusOf(head([HOST, TYPE, HOOK, ['Origin', origin]]))).toBe(403)
  })

  test('is refused if it is repeated', () => {
    const own = ['Origin', `http://127.0.0.1:${PORT}`] as const
    expect(statusOf(head([HOST, TYPE, HOOK, own, own]))).toBe(403)
  })
})

describe('a token that is not exactly the one of the route', () => {
  test.each<[string, Headers]>([
    ['none', []],
    ['empty', [['Authorization', '']]],
    ['no scheme', [['Authorization', TOKENS.hook]]],
    ['another scheme', [['Authorization', `Basic ${TOKENS.hook}`]]],
    ['a lowercase scheme', [['Authorization', `bearer ${TOKENS.hook}`]]],
    ['one character less', [['Authorization', `Bearer ${TOKENS.hook.slice(1)}`]]],
    ['one character more', [['Authorization', `Bearer ${TOKENS.hook}h`]]],
    ['another last character', [['Authorization', `Bearer ${TOKENS.hook.slice(1)}x`]]],
    ['the same length but more bytes', [['Authorization', `Bearer ${TOKENS.hook.slice(1)}é`]]],
    ['of another route', [FULL]],
    ['twice', [HOOK, HOOK]],
    ['in another header', [['X-Token', TOKENS.hook]]],
    ['in a cookie', [['Cookie', `token=${TOKENS.hook}`]]],
  ])('is refused: %s', (_, headers) => {
    expect(statusOf(head([HOST, TYPE, ...headers]))).toBe(401)
  })

  test('the hook token gives no access to other routes', () => {
    for (const url of ['/rpc', '/', '/hook', '/hook/', '/metrics'])
      expect(statusOf(head([HOST, TYPE, HOOK], { url }))).toBe(401)
  })

  test('without a token, a caller learns nothing about routes and methods', () => {
    for (const url of ['/rpc', '/hook/a', '/', '/nowhere', '*'])
      for (const method of ['GET', 'POST', 'OPTIONS', 'HEAD', 'PUT', 'TRACE'])
        expect(statusOf(head([HOST, TYPE], { url, method }))).toBe(401)
  })
})

describe('a request with the token', () => {
  test.each([
    '/',
    '/rpc/',
    '/rpc?token=x',
    '/RPC',
    '//rpc',
    '/hook/../rpc',
    '/statusline/claude-code/strict',
    `http://127.0.0.1:${PORT}/rpc`,
    '*',
  ])('to %s gets 404', (url) => {
    expect(statusOf(head([HOST, TYPE, FULL], { url }))).toBe(404)
  })

  test.each(['/hook/A', '/hook/a/b', '/hook/a?b', '/hook/-a', '/hook/a%62', `/hook/${'a'.repeat(65)}`])(
    'gets 404 if the client name is invalid, as in %s',
    (url) => {
      expect(statusOf(head([HOST, TYPE, FULL], { url }))).toBe(404)
    },
  )

  test.each(['GET', 'OPTIONS', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'post'])(
    'by %s gets 405, because the route needs POST',
    (method) => {
      expect(statusOf(head([HOST, TYPE, HOOK], { method }))).toBe(405)
    },
  )

  test('gets 405 if it posts to a page', () => {
    expect(statusOf(head([HOST, TYPE, FULL], { url: '/page' }))).toBe(405)
  })

  test.each<[string, Headers]>([
    ['nothing', []],
    ['text, which a page could send without a preflight', [['Content-Type', 'text/plain']]],
    ['a form', [['Content-Type', 'application/x-www-form-urlencoded']]],
    ['a multipart form', [['Content-Type', 'multipart/form-data; boundary=x']]],
    ['text that ends like JSON', [['Content-Type', 'text/plain; application/json']]],
    ['another JSON type', [['Content-Type', 'application/json-patch+json']]],
    ['JSON and another type', [['Content-Type', 'application/json, text/plain']]],
    ['JSON twice', [TYPE, TYPE]],
    ['compressed JSON', [TYPE, ['Content-Encoding', 'gzip']]],
  ])('with %s gets 415, because it is not JSON', (_, headers) => {
    expect(statusOf(head([HOST, HOOK, ...headers]))).toBe(415)
  })
})
