import { expect, test } from 'vitest'
import { planOf, step } from '../model/plan/case.contract.ts'
import type { Step } from '../model/plan/plan.ts'
import { chooserFor, walksOf } from './walks.ts'

const from = (...steps: readonly Step[]) =>
  planOf(steps, { notation: 'workflow', entry: [steps[0]?.id ?? ''] })
const told = (plan: ReturnType<typeof from>) =>
  walksOf(plan).map(({ outcomes }) =>
    Object.fromEntries([...outcomes].map(([label, all]) => [label, all.join(' ')])),
  )

test('walks take every named outcome, and a loop until its limit', () => {
  const plan = from(
    step('work', { next: { ok: ['check'] }, limit: 3 }),
    step('check', { next: { ok: [], fail: ['work'], stop: [] } }),
  )
  expect(told(plan)).toEqual([
    {},
    { work: 'fail' },
    { work: 'ok', check: 'fail fail fail' },
    { work: 'ok', check: 'stop' },
  ])
})

test('a way that a longer one contains is not walked again', () => {
  const plan = from(
    step('a', { next: { ok: ['b'], deep: ['b'], flat: [] } }),
    step('b', { next: { ok: [], stop: ['c'] } }),
    step('c', { next: { ok: [], stop: [] } }),
  )
  expect(told(plan)).toContainEqual({ a: 'ok', b: 'stop', c: 'stop' })
  expect(told(plan)).not.toContainEqual({ a: 'ok', b: 'stop' })
})

test('each boundary of a param has a walk', () => {
  const plan = {
    ...from(step('a', { next: { ok: [] } })),
    params: { depth: { type: 'number', min: 1, max: 9 } as const },
  }
  const values = walksOf(plan).map(({ variant }) => variant.variables['depth'])
  expect(new Set(values)).toEqual(new Set(['1', '9']))
})

test('a step ends well once its outcomes are used up', () => {
  const choose = chooserFor({
    variant: { mode: null, variables: {} },
    outcomes: new Map([['a', ['fail', 'ok']]]),
  })
  expect([choose('a', 1), choose('a', 2), choose('a', 3), choose('b', 1)]).toEqual([
    { from: 'a', outcome: 'fail' },
    undefined,
    undefined,
    undefined,
  ])
})
