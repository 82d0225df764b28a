import { expect, test } from 'vitest'
import type { HookEvent } from './event.ts'
import { inScope } from './scope.ts'

const origin = {
  client: 'claude-code',
  session: 's1',
  transcript: '/t.jsonl',
  promptId: 'p1',
  subagent: { id: 'a1' },
} as const
const stopped = { again: false, running: 0 } as const

test.each<[HookEvent, Partial<HookEvent>]>([
  [
    { ...origin, kind: 'subagent.started' },
    { kind: 'session.started', source: 'resume' },
  ],
  [{ ...origin, kind: 'subagent.stopped', ...stopped }, { kind: 'session.ended' }],
  [{ ...origin, kind: 'turn.failed', error: 'x' }, { kind: 'session.ended' }],
  [{ ...origin, kind: 'compact.before' }, { kind: 'compact.before' }],
])('%j is, in the scope of its sub-agent, %j', (event, own) => {
  expect(inScope(event)).toMatchObject({ ...own, session: 's1/a1', promptId: 'p1' })
  expect(inScope(event)).toMatchObject({ subagent: undefined, transcript: undefined })
})

test('an event of a main thread, or of no session, is in no scope', () => {
  expect(inScope({ ...origin, subagent: undefined, kind: 'subagent.started' })).toBeUndefined()
  expect(inScope({ ...origin, session: undefined, kind: 'subagent.started' })).toBeUndefined()
})
