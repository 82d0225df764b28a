import { expect, test } from 'vitest'
import type { AtWork } from '../../engine/effort/at-work.ts'
import { describeEffort, effortTable } from '../frame/effort-screen.ts'
import { effortLine } from './status.ts'

const effort = {
  id: 3,
  task_id: '/p/.holdfast/tasks/login',
  skill: 'ship',
  mode: null,
  ordinal: 2,
  lifecycle: 'active',
  current_phase: null,
  metadata: {},
  agent_id: null,
  created_at: '2026-01-01T00:00:00.000Z',
  finished_at: null,
  request: 'a login page\nfor everybody',
  status: '[2:ship:work]',
  position: '1 of 3 steps done, started: work',
  stage: null,
  session: null,
  workplace: '/p',
} as unknown as AtWork
const io = { color: false, width: 200, env: {} } as unknown as Parameters<typeof effortTable>[0]

test('an effort is shown with its own number, its request and its number in the task', () => {
  expect(effortLine(io, effort)).toBe(
    'effort 3 [2:ship:work] 1 of 3 steps done, started: work, "a login page for everybody"  no. 2 in /p/.holdfast/tasks/login, no session',
  )
  expect(effortLine(io, { ...effort, ordinal: 1, request: null, status: '[ship]' })).toBe(
    'effort 3 [ship] 1 of 3 steps done, started: work  /p/.holdfast/tasks/login, no session',
  )
})

test('a table of efforts has the request of each, cut to a few words', () => {
  const [head, row] = effortTable(io, [{ ...effort, request: `${'long '.repeat(30)}end` }]).split('\n')
  expect(head).toMatch(/^effort +no\. +skill +request +lifecycle +started$/)
  expect(row).toMatch(/^3 +2 +ship +"long long .*…" +active /)
})

test('an effort in full says what it is for', () => {
  const none = { phase_history: [], steps: [], todos: [], approvals: [], artifacts: [], sessions: [] }
  const full = {
    ...effort,
    ...none,
    next_phases: [],
    proof_to_leave: [],
    set_aside_by: null,
    plan_edit: null,
    chain: null,
    next: [],
    optional: [],
    reason: null,
    failures: [],
  }
  expect(describeEffort(io, full)).toBe(
    '[2:ship] ship  effort 3, no. 2 in its task, active\nfor   "a login page for everybody"\ntask  /p/.holdfast/tasks/login',
  )
})
