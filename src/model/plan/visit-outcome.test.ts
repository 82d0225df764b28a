import { describe, expect, test } from 'vitest'
import { advance, begin, type Move, type Progress } from './advance.ts'
import { planOf, step } from './case.contract.ts'
import { NOTHING_RECORDED } from './evidence.ts'
import type { Plan } from './plan.ts'
import { replay, visit } from './visit.ts'

/** Step files: a test that fails leads to its repair, at most twice. */
const FILES = planOf([
  step('build', { consumes: ['user-request'], produces: ['code'] }),
  step('test', { consumes: ['code'], produces: ['report'], limit: 2, next: { ok: ['ship'], fail: ['fix'] } }),
  step('fix', { consumes: ['code'], next: { ok: ['test'] } }),
  step('ship', { consumes: ['report'] }),
])
const RUNBOOK = planOf(
  [
    step('build', { next: { ok: ['test'] } }),
    step('test', { limit: 2, next: { ok: ['ship'], fail: ['fix'] } }),
    step('fix', { next: { ok: ['test'] } }),
    step('ship', { next: { ok: [] } }),
  ],
  { notation: 'runbook', entry: ['build'] },
)

const enter = (id: string): Move => ({ kind: 'enter', step: id })
const leave = (id: string, outcome = 'ok'): Move => ({ kind: 'leave', step: id, outcome })
const failed = [enter('build'), leave('build'), enter('test'), leave('test', 'fail')]

function after(plan: Plan, moves: readonly Move[]): Progress {
  return moves.reduce((progress, move) => {
    const next = advance(plan, progress, move)
    if (!next.ok) throw new Error(next.why)
    return next.progress
  }, begin(plan))
}

/** The progress in a changed plan, as it is carried over. */
function carried(plan: Plan, moves: readonly Move[]): Progress {
  const past = after(plan, moves)
  const begun = moves.flatMap(({ kind, step: id }) => (kind === 'enter' ? [id] : []))
  const visited = begun.filter((id, at) => begun.lastIndexOf(id) === at)
  return replay({ ...plan, hold: 'stop' }, visited, NOTHING_RECORDED, past.visits, past.current)
}

describe.each([
  ['step files', FILES],
  ['a runbook', RUNBOOK],
])('an edit of %s', (_, plan) => {
  test('leaves a failed step failed, and what follows the failure open', () => {
    expect(carried(plan, failed)).toEqual(after(plan, failed))
    expect(carried(plan, [...failed, enter('fix')])).toEqual(after(plan, [...failed, enter('fix')]))
    expect(visit(plan, carried(plan, failed), 'ship', NOTHING_RECORDED).ok).toBe(false)
  })

  test('leaves a plan at its limit parked', () => {
    const twice = [...failed, enter('fix'), leave('fix'), enter('test'), leave('test', 'fail')]
    const parked = [...twice, enter('fix'), leave('fix')]
    const { status, current, open, reason } = after(plan, parked)
    expect(status).toBe('parked')
    expect(carried(plan, parked)).toMatchObject({ status, current, open, reason })
  })
})

test('an edit does not start a step that a loop has opened again', () => {
  const loop = planOf([
    step('build', { consumes: ['user-request'], produces: ['code'], limit: 3 }),
    step('test', { consumes: ['code'], produces: ['report'], next: { again: ['build'] } }),
    step('ship', { consumes: ['report'] }),
  ])
  const back = [enter('build'), leave('build'), enter('test'), leave('test', 'again')]
  expect(carried(loop, back)).toMatchObject({ current: [], open: ['build'] })
  expect(visit(loop, carried(loop, back), 'ship', NOTHING_RECORDED).ok).toBe(false)
})

test('an edit leaves a step done that was reported done', () => {
  const one = [enter('build'), leave('build')]
  expect(carried(FILES, one)).toEqual(after(FILES, one))
})
