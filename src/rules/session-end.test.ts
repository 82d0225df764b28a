import { expect, test } from 'vitest'
import { event, facts, span } from './case.contract.ts'
import { sessionEnd } from './session-end.ts'

test('every span of the session ends, and nothing else happens', () => {
  expect(sessionEnd.judge(event('ended'), facts())).toEqual({ changes: [] })
  const spans = [span('b'), span('a', { status: 'suspended' })]
  expect(sessionEnd.judge(event('ended'), facts({ spans }))).toEqual({
    changes: [
      { kind: 'span.completed', span: 'b' },
      { kind: 'span.completed', span: 'a' },
    ],
  })
})
