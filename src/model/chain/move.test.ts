import { describe, expect, test } from 'vitest'
import { call, drop, end, fail, firstToEnd, type Frames, park, push, resume } from './move.ts'
import type { StoredFrame } from './stored.ts'

/** Frames by their skills and states, such as `a: running`. */
const chain = (
  ...states: readonly [skill: string, status: StoredFrame['status'], more?: Partial<StoredFrame>][]
): Frames =>
  states.map(([skill, status, more], at) => ({
    id: at + 1,
    chain_id: 1,
    project_id: 1,
    task_id: null,
    session_id: 's',
    effort_id: null,
    position: at + 1,
    skill,
    args: '',
    context: '',
    status,
    on_error: null,
    call: null,
    level: 'wrapped',
    reason: null,
    parent: null,
    asked_at: null,
    result: null,
    created_at: '',
    started_at: status === 'waiting' ? null : '',
    ended_at: null,
    ...more,
  }))
const short = (frames: Frames) => frames.map(({ skill, status }) => `${skill} ${status}`).join(', ')
const added = (skill: string) => ({ skill, args: '', context: '', on_error: null, level: 'wrapped' }) as const

const RUNNING = chain(['a', 'running'], ['b', 'waiting'], ['c', 'waiting'])

test.each<[string, Frames, string]>([
  [
    'a tail call ends its caller',
    call(RUNNING, { frame: 2, how: 'tail', over: [1] }),
    'a completed, b running, c waiting',
  ],
  [
    'a nested call keeps it',
    call(RUNNING, { frame: 2, how: 'nested', over: [] }),
    'a running, b running, c waiting',
  ],
  [
    'a frame runs once',
    call(call(RUNNING, { frame: 2, how: 'tail', over: [1] }), { frame: 2, how: 'tail', over: [2] }),
    'a completed, b running, c waiting',
  ],
  ['a frame that runs ends', end(RUNNING, 1), 'a completed, b waiting, c waiting'],
  ['one that waits does not', end(RUNNING, 2), 'a running, b waiting, c waiting'],
  [
    'a failure parks the rest',
    fail(RUNNING, 1, { reason: 'no', branch: null }),
    'a failed, b parked, c parked',
  ],
  [
    'or runs its branch',
    fail(RUNNING, 1, { reason: 'no', branch: { skill: 'x', args: '' } }),
    'a failed, x waiting, b waiting, c waiting',
  ],
  [
    'subroutines come before the rest',
    push(RUNNING, [added('x'), added('y')], 1),
    'a running, x waiting, y waiting, b waiting, c waiting',
  ],
  ['also at the end', push(chain(['a', 'running']), [added('x')], 1), 'a running, x waiting'],
  [
    'and before what is parked',
    push(park(end(RUNNING, 1), 'why'), [added('x')], 1),
    'a completed, x waiting, b parked, c parked',
  ],
  ['parking keeps what has ended', park(end(RUNNING, 1), 'why'), 'a completed, b parked, c parked'],
  ['and never one that ran', resume(park(RUNNING, 'why'), 'x'), 'a running, x waiting, c waiting'],
  ['what ran goes on running', resume(park(RUNNING, 'why')), 'a running, b waiting, c waiting'],
  [
    'the first may be another skill',
    resume(park(end(RUNNING, 1), 'why'), 'x'),
    'a completed, x waiting, c waiting',
  ],
  [
    'a drop takes all that is left',
    drop(park(end(RUNNING, 1), 'why'), 'enough'),
    'a completed, b dropped, c dropped',
  ],
  [
    'and wins',
    call(drop(RUNNING, 'enough'), { frame: 2, how: 'tail', over: [1] }),
    'a dropped, b dropped, c dropped',
  ],
])('%s', (_, frames, expected) => {
  expect(short(frames)).toBe(expected)
})

test('positions follow the order', () => {
  expect(push(RUNNING, [added('x')], 1).map(({ position }) => position)).toEqual([1, 2, 3, 4])
})

test('a branch knows why it runs, and for whom', () => {
  expect(fail(RUNNING, 1, { reason: 'no', branch: { skill: 'x', args: 'y' } })[1]).toMatchObject({
    id: 0,
    args: 'y',
    context: 'no',
    parent: 1,
  })
})

describe('the frame that must end first', () => {
  const never = () => false
  test.each<[string, Frames, number | undefined]>([
    ['is none for the first nested call', RUNNING, undefined],
    ['is the caller after that', chain(['a', 'running'], ['b', 'completed'], ['c', 'waiting']), 1],
    [
      'is none after its own subroutines',
      chain(['a', 'running'], ['x', 'completed', { parent: 1 }], ['b', 'waiting']),
      undefined,
    ],
    [
      'is none for its own subroutine',
      chain(['a', 'running'], ['b', 'completed'], ['x', 'waiting', { parent: 1 }]),
      undefined,
    ],
    ['is none at the end', chain(['a', 'running'], ['b', 'completed']), undefined],
  ])('%s', (_, frames, expected) => {
    expect(firstToEnd(frames, never)?.id).toBe(expected)
  })

  test('is none that needs no more', () => {
    expect(
      firstToEnd(chain(['a', 'running'], ['b', 'completed'], ['c', 'waiting']), () => true),
    ).toBeUndefined()
  })
})
