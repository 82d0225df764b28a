import { describe, expect, test } from 'vitest'
import { toRequest } from './message.ts'

const base = { jsonrpc: '2.0', method: 'm' }

describe('a request', () => {
  test.each([
    ['a call', { ...base, id: 1, params: { a: 1 } }, { method: 'm', params: { a: 1 }, id: 1 }],
    ['a string id', { ...base, id: 'x' }, { method: 'm', id: 'x' }],
    ['a null id', { ...base, id: null }, { method: 'm', id: null }],
    ['a notification', base, { method: 'm' }],
    ['a deadline', { ...base, id: 1, deadline_ms: 0.5 }, { method: 'm', id: 1, deadline_ms: 0.5 }],
    ['a list of parameters', { ...base, id: 1, params: [] }, { method: 'm', id: 1, params: [] }],
  ])('may be %s', (_, value, expected) => {
    expect(toRequest(value)).toEqual({ params: undefined, ...expected })
  })

  test.each([
    ['not an object', 1, /object/, null],
    ['null', null, /object/, null],
    ['a list', [], /object/, null],
    ['another version', { ...base, jsonrpc: '1.0', id: 7 }, /"jsonrpc": "2.0"/, 7],
    ['no method', { jsonrpc: '2.0', id: 'x' }, /"method"/, 'x'],
    ['an empty method', { ...base, method: '', id: 1 }, /"method"/, 1],
    ['a method that is not a string', { ...base, method: {}, id: 1 }, /"method"/, 1],
    ['an id that is an object', { ...base, id: {} }, /"id"/, null],
    ['an id that is true', { ...base, id: true }, /"id"/, null],
    ['a string as parameters', { ...base, id: 1, params: 'x' }, /"params"/, 1],
    ['null as parameters', { ...base, id: 1, params: null }, /"params"/, 1],
    ['a deadline of 0', { ...base, id: 1, deadline_ms: 0 }, /"deadline_ms"/, 1],
    ['a string as its deadline', { ...base, id: 1, deadline_ms: '1' }, /"deadline_ms"/, 1],
    [
      'a method only in its prototype',
      JSON.parse('{"__proto__":{"method":"m"},"jsonrpc":"2.0"}'),
      /"method"/,
      null,
    ],
  ])('is refused if it is or has %s', (_, value, problem, id) => {
    expect(toRequest(value)).toEqual({ problem: expect.stringMatching(problem), id })
  })
})
