import { describe, expect, test } from 'vitest'
import { advance, begin, type Move, type Progress } from './advance.ts'
import { planOf, step } from './case.contract.ts'
import { NOTHING_RECORDED } from './evidence.ts'
import type { Plan } from './plan.ts'
import * as visits from './visit.ts'

const visit = (of: Plan, progress: Progress, id: string) => visits.visit(of, progress, id, NOTHING_RECORDED)

describe('a loop', () => {
  const LOOP = planOf([
    step('build', { consumes: ['user-request'], produces: ['code'], limit: 3 }),
    step('test', { consumes: ['code'], produces: ['report'], next: { again: ['build'] } }),
    step('ship', { consumes: ['report'] }),
  ])
  const back = advance(LOOP, visits.replay(LOOP, ['build', 'test'], NOTHING_RECORDED), {
    kind: 'leave',
    step: 'test',
    outcome: 'again',
  })
  const again = back.ok ? back.progress : begin(LOOP)

  test('starts every step of its second round by reading it, as in the first', () => {
    const built = visit(LOOP, again, 'build')
    const tested = visit(LOOP, built.ok ? built.progress : again, 'test')
    expect(tested).toMatchObject({
      progress: {
        current: ['test'],
        visits: { build: { attempts: 2, outcome: 'ok' }, test: { attempts: 2 } },
      },
    })
  })

  test('lets a step be read before its turn comes again, which changes nothing', () => {
    expect(visit(LOOP, again, 'test')).toEqual({ ok: true, progress: again })
  })
})

test('a step that was started is not open, whatever leads to it', () => {
  const line = planOf([step('a', { next: { ok: ['b'] } }), step('b', { next: { ok: [] } })], { entry: ['a'] })
  const moves: readonly Move[] = [
    { kind: 'enter', step: 'b', approved: true },
    { kind: 'enter', step: 'a', approved: true },
    { kind: 'leave', step: 'a', outcome: 'ok' },
  ]
  const progress = moves.reduce((before, move) => {
    const moved = advance(line, before, move)
    return moved.ok ? moved.progress : before
  }, begin(line))
  expect(progress).toMatchObject({ current: ['b'], open: [] })
})

test('a started step that is read again starts no other round, whatever leads to it', () => {
  const choice = planOf([
    step('judge', { consumes: ['user-request'], produces: ['verdict'], next: { ok: ['keep'] } }),
    step('keep', { consumes: ['verdict'] }),
  ])
  const moves: readonly Move[] = [
    { kind: 'enter', step: 'keep', approved: true },
    { kind: 'enter', step: 'judge' },
  ]
  const progress = moves.reduce((before, move) => {
    const moved = advance(choice, before, move)
    return moved.ok ? moved.progress : before
  }, begin(choice))
  expect(progress.current).toEqual(['keep', 'judge'])
  expect(visit(choice, progress, 'keep')).toEqual({ ok: true, progress })
})
