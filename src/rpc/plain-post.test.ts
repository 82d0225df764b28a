import { describe, expect, test } from 'vitest'
import { plainPost } from './plain-post.ts'

const LINES = ['Host: 127.0.0.1:23456', 'Content-Type: application/json']

const bytesOf = (lines: readonly string[], body = '{}', first = 'POST /hook/a HTTP/1.1'): Buffer =>
  Buffer.from(`${[first, ...lines].join('\r\n')}\r\n\r\n${body}`, 'latin1')

const withLength = (...more: readonly string[]) => bytesOf([...LINES, ...more, 'Content-Length: 2'])

describe('a plain request', () => {
  test('is read with its headers and its body', () => {
    const headers = {
      host: '127.0.0.1:23456',
      'content-type': 'application/json',
      'holdfast-agent': '',
      'user-agent': 'a b',
      'content-length': '2',
    }
    expect(plainPost(withLength('Holdfast-Agent: ', 'User-Agent: a b'))).toEqual({
      method: 'POST',
      url: '/hook/a',
      rawHeaders: Object.entries(headers).flat(),
      headers,
      body: Buffer.from('{}'),
    })
  })

  test.each(['\r\n\r\n', '\0\n: x', 'Content-Length: 3\r\n\r\n', 'é'])('may have any body, as %j', (body) => {
    const bytes = Buffer.from(body)
    const head = bytesOf([...LINES, `Content-Length: ${bytes.length}`], '')
    expect(plainPost(Buffer.concat([head, bytes]))?.body).toEqual(bytes)
  })

  test('may be that of a client, which keeps its connection', () => {
    const client = ['Accept: application/json, text/plain, */*', 'Connection: keep-alive']
    expect(plainPost(withLength(...client, 'Accept-Encoding: gzip, br'))).toBeDefined()
  })
})

describe('bytes are left to node:http', () => {
  test.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['a head without an end', Buffer.from('POST /hook/a HTTP/1.1\r\nHost: a\r\n')],
    ['less than a body', bytesOf([...LINES, 'Content-Length: 3'])],
    ['more than a body', bytesOf([...LINES, 'Content-Length: 1'])],
    ['another method', bytesOf([...LINES, 'Content-Length: 2'], '{}', 'PUT /hook/a HTTP/1.1')],
    ['another version', bytesOf([...LINES, 'Content-Length: 2'], '{}', 'POST /hook/a HTTP/1.0')],
    ['two spaces', bytesOf([...LINES, 'Content-Length: 2'], '{}', 'POST  /hook/a HTTP/1.1')],
    ['a query', bytesOf([...LINES, 'Content-Length: 2'], '{}', 'POST /hook/a?b HTTP/1.1')],
    ['a whole URL', bytesOf([...LINES, 'Content-Length: 2'], '{}', 'POST http://a/hook/a HTTP/1.1')],
    [
      'a line before the request',
      bytesOf([...LINES, 'Content-Length: 2'], '{}', '\r\nPOST /hook/a HTTP/1.1'),
    ],
    ['no header', bytesOf([])],
    ['no length', bytesOf(LINES)],
    ['an empty body', bytesOf([...LINES, 'Content-Length: 0'], '')],
    ['a length with a zero', bytesOf([...LINES, 'Content-Length: 02'])],
    ['a length with a sign', bytesOf([...LINES, 'Content-Length: +2'])],
    ['a list of lengths', bytesOf([...LINES, 'Content-Length: 2, 2'])],
    ['two lengths', withLength('Content-Length: 2')],
    ['two lengths, in other letters', withLength('content-LENGTH: 2')],
    ['two Hosts', withLength('host: evil.test')],
    ['chunks', withLength('Transfer-Encoding: chunked')],
    ['a question before the body', withLength('Expect: 100-continue')],
    ['another protocol', withLength('Upgrade: websocket')],
    ['the end of its connection', withLength('Connection: close')],
    ['two words about its connection', withLength('Connection: keep-alive, upgrade')],
    ['an unknown header', withLength('X-Other: 1')],
    ['the name of a property', withLength('constructor: 1')],
    ['a folded line', withLength('User-Agent: a', ' b')],
    ['a bare line feed', withLength('User-Agent: a\nAccept: b')],
    ['a bare carriage return', withLength('User-Agent: a\rb')],
    ['a NUL', withLength('User-Agent: a\0b')],
    ['a tab', withLength('User-Agent:\ta')],
    ['a letter that is not ASCII', withLength('User-Agent: é')],
    ['no space after the colon', withLength('User-Agent:a')],
    ['two spaces after the colon', withLength('User-Agent:  a')],
    ['a space at the end', withLength('User-Agent: a ')],
    ['a space before the colon', withLength('User-Agent : a')],
    ['an empty name', withLength(': a')],
    ['a long head', withLength(`User-Agent: ${'a'.repeat(5000)}`)],
  ])('if they have %s', (_, bytes) => {
    expect(plainPost(bytes)).toBeUndefined()
  })
})
