import { expect, test } from 'vitest'
import { toRow } from './fleet.ts'

const NOW = Date.parse('2026-01-01T00:10:00.000Z')
const effort = { id: 7, skill: 'plan', ordinal: 2, current_phase: '3.A: Build', task_id: '/p/t' }
const agent = { id: 'a', label: null, claims: [], effort_id: 7, effort } as unknown as Parameters<
  typeof toRow
>[0]
const session = (last: string) =>
  ({
    id: 1,
    effort_id: 7,
    agent_id: 'a',
    heartbeat_counter: 4,
    context_usage: 0,
    last_heartbeat: last,
    created_at: last,
  }) as unknown as Parameters<typeof toRow>[1]

test('an agent that has not been heard of for more than five minutes is silent', () => {
  expect(toRow(agent, session('2026-01-01T00:04:59.000Z'), { now: NOW, staleAfter: 300 })).toMatchObject({
    state: 'silent',
    last_seen: '5 min ago',
  })
  expect(toRow(agent, session('2026-01-01T00:05:01.000Z'), { now: NOW, staleAfter: 300 })).toMatchObject({
    state: 'working',
  })
})

test('an empty context window is 0 %, not unknown', () => {
  expect(toRow(agent, session('2026-01-01T00:09:00.000Z'), { now: NOW, staleAfter: 300 })).toMatchObject({
    context: '0 %',
    effort: '[2:plan:P3.A]',
    calls: 4,
  })
})
