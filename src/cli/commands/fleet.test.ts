import { expect, test } from 'vitest'
import { memberOf, toRow } from './fleet.ts'

const NOW = Date.parse('2026-01-01T00:10:00.000Z')
const effort = { id: 7, skill: 'plan', ordinal: 2, current_phase: '3.A: Build', task_id: '/p/t' }

/** An agent at work, whose session was last heard of then. */
const heard = (last: string) =>
  memberOf(
    {
      agent: { id: 'a', label: null },
      effort,
      session: {
        id: 1,
        effort_id: 7,
        agent_id: 'a',
        heartbeat_counter: 4,
        context_usage: 0,
        last_heartbeat: last,
        created_at: last,
      },
    } as Parameters<typeof memberOf>[0],
    { now: NOW, staleAfter: 300 },
  )

test('an agent without a sign of life for more than five minutes is silent', () => {
  expect(heard('2026-01-01T00:04:59.000Z')).toMatchObject({
    state: 'silent',
    last_seen: '2026-01-01T00:04:59.000Z',
  })
  expect(heard('2026-01-01T00:05:01.000Z')).toMatchObject({ state: 'working' })
})

test('an empty context window is 0, not unknown', () => {
  expect(heard('2026-01-01T00:09:00.000Z')).toMatchObject({
    context_usage: 0,
    effort_id: 7,
    status: '[2:plan:P3.A]',
    calls: 4,
  })
})

test('one call is not "1 calls"', () => {
  const member = heard('2026-01-01T00:09:00.000Z')
  expect(toRow({ ...member, calls: 1 }).session).toBe('1: 1 call')
  expect(toRow(member).session).toBe('1: 4 calls')
})

test('a session without an agent is named by its client', () => {
  const session = { id: 1, client: 'claude-code', native_id: 'abc', created_at: '2026-01-01T00:09:00.000Z' }
  const entry = { agent: null, effort: null, session } as Parameters<typeof memberOf>[0]
  expect(memberOf(entry, { now: NOW, staleAfter: 300 })).toMatchObject({
    agent: null,
    client: 'claude-code',
    native_id: 'abc',
    effort_id: null,
  })
})
