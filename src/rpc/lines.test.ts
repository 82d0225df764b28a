import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { readLines } from './lines.ts'

function reading(maxBytes = 1000) {
  const socket = new PassThrough()
  const lines: string[] = []
  let tooLong = 0
  const reader = readLines(socket as unknown as Socket, maxBytes, {
    onLine: (line) => void lines.push(line.toString()),
    onTooLong: () => void tooLong++,
  })
  return {
    send: (bytes: string | Buffer) => socket.emit('data', Buffer.from(bytes)),
    lines,
    pendingBytes: () => reader.pendingBytes(),
    tooLong: () => tooLong,
  }
}

describe('lines', () => {
  const TEXT = 'one\n\n{"two":"ä€😀"}\nthree\r\n\u2028four\n'
  const LINES = ['one', '{"two":"ä€😀"}', 'three\r', '\u2028four']

  test('are the same wherever the bytes are split', () => {
    const bytes = Buffer.from(TEXT)
    for (let at = 0; at <= bytes.length; at++) {
      const { send, lines } = reading()
      send(bytes.subarray(0, at))
      send(bytes.subarray(at))
      expect(lines).toEqual(LINES)
    }
  })

  test('are the same when the bytes come one by one', () => {
    const { send, lines } = reading(5000)
    const long = 'x'.repeat(3000)
    for (const byte of Buffer.from(`${long}\n${TEXT}`)) send(Buffer.from([byte]))
    expect(lines).toEqual([long, ...LINES])
  })

  test('without an end are pending', () => {
    const { send, pendingBytes } = reading()
    send('a\nhalf')
    expect(pendingBytes()).toBe(4)
    send(' a line\n')
    expect(pendingBytes()).toBe(0)
  })

  test.each([
    [9, ['x'.repeat(9)], 0],
    [10, ['x'.repeat(10)], 0],
    [11, [], 1],
  ])('of %i bytes, where 10 are allowed', (length, expected, refused) => {
    for (const pieces of [1, 4, 100]) {
      const { send, lines, tooLong } = reading(10)
      const bytes = Buffer.from(`${'x'.repeat(length)}\n`)
      const size = Math.ceil(bytes.length / pieces)
      for (let at = 0; at < bytes.length; at += size) send(bytes.subarray(at, at + size))
      expect({ lines, refused: tooLong() }).toEqual({ lines: expected, refused })
    }
  })

  test('that are too long are refused before they end, and the rest is not read', () => {
    const { send, lines, tooLong, pendingBytes } = reading(10)
    send('x'.repeat(11))
    expect(tooLong()).toBe(1)
    expect(pendingBytes()).toBe(0)
    send('y\nz\n')
    expect(lines).toEqual([])
    expect(tooLong()).toBe(1)
  })
})
