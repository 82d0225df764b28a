import { expect, test } from 'vitest'
import { during, event, facts, FLOW, reading, skill, span, touch } from './case.contract.ts'
import { NOT_BEGUN } from './told/begun.ts'
import type { Facts } from './facts.ts'
import { stepVisit } from './step-visit.ts'

const ask = (more: Partial<Facts>) => stepVisit.judge(event('after'), facts(more))
const spans = [span('a')]

test('what is no step, has no plan, or is only looked at is no visit', () => {
  expect(ask({ spans, touched: [touch(undefined)] })).toBeUndefined()
  expect(ask({ spans, touched: [touch('look', skill({ plan: undefined }))] })).toBeUndefined()
  expect(ask({ touched: [touch('look')] })).toBeUndefined()
})

test('a step that is read is a visit, with where the plan stands then', () => {
  expect(ask({ spans, touched: [touch('look')] })?.changes).toEqual([
    { kind: 'step.visited', skill: 'flow', step: 'look', progress: reading(FLOW, ['look']) },
  ])
})

test('several that are read at once count one after the other, each once', () => {
  const touched = ['look', 'think', 'look', 'do'].map((id) => touch(id))
  expect(ask({ spans, touched })?.changes?.map((change) => 'step' in change && change.step)).toEqual([
    'look',
    'think',
    'do',
  ])
  expect(ask({ spans, touched })?.changes?.at(-1)).toMatchObject({
    progress: reading(FLOW, ['look', 'think', 'do']),
  })
})

test('a step that was read before is no second visit', () => {
  const seen = skill({ progress: reading(FLOW, ['look']) })
  expect(ask({ spans, touched: [touch('look', seen)] })).toBeUndefined()
})

test('a step that was read out of order is noted once, and does not count', () => {
  expect(ask({ spans, touched: [touch('do')] })?.changes).toEqual([
    { kind: 'step.visited', skill: 'flow', step: 'do', progress: undefined },
  ])
  expect(ask({ spans: [span('a', { steps: ['do'] })], touched: [touch('do')] })).toBeUndefined()
  expect(
    ask({ spans: [span('b', { skill: 'x', steps: ['do'] }), span('a')], touched: [touch('do')] }),
  ).toBeDefined()
})

test('in a strict project a step counts without a span, if its call was seen before it ran', () => {
  const tool = {
    id: 'c1',
    name: 'Read',
    does: { kind: 'other' },
    input: null,
    result: null,
    ended: true,
  } as const
  const strictly = (more: Partial<Facts>) =>
    stepVisit.judge(event('after', { tool }), facts({ level: 'strict', touched: [touch('look')], ...more }))
  expect(strictly(during([{ id: 'c1', tool: 'Read', what: '', at: '' }]))?.changes).toHaveLength(1)
  expect(strictly({})).toEqual({ contexts: [NOT_BEGUN] })
})

const seen = (missing: readonly number[], digest = 'd') => ({ digest, total: 4, missing })

test('a step that is shown in part has begun, and each answer that shows more is a visit', () => {
  const look = (before: Parameters<typeof skill>[0], now: readonly number[]) =>
    ask({ spans, touched: [{ ...touch('look', skill(before)), seen: seen(now) }] })?.changes
  const [begun] = look({}, [3, 4]) ?? []
  expect(begun).toMatchObject({
    kind: 'step.visited',
    step: 'look',
    seen: seen([3, 4]),
    progress: { current: ['look'], visits: { look: { attempts: 1, partly: true } } },
  })
  const progress = begun?.kind === 'step.visited' ? begun.progress : undefined
  const before = { progress, seen: { look: seen([3, 4]) } }
  expect(look(before, [3, 4])).toBeUndefined()
  expect(look(before, [1, 2, 3])).toMatchObject([{ seen: seen([3]), progress }])
  expect(look(before, [1, 2])).toMatchObject([{ seen: seen([]), progress: reading(FLOW, ['look']) }])
  const other = { progress, seen: { look: seen([3, 4], 'e') } }
  expect(look(other, [1, 2, 4])).toMatchObject([{ seen: seen([1, 2, 4]) }])
})

test('a step that is shown in whole at once is kept nowhere; an unknown answer clears what was kept', () => {
  const whole = { ...touch('look'), seen: seen([]) }
  expect(ask({ spans, touched: [whole] })?.changes?.[0]).not.toHaveProperty('seen')
  const [begun] = ask({ spans, touched: [{ ...whole, seen: seen([1]) }] })?.changes ?? []
  const progress = begun?.kind === 'step.visited' ? begun.progress : undefined
  const of = skill({ progress, seen: { look: seen([1]) } })
  expect(ask({ spans, touched: [touch('look', of)] })?.changes).toMatchObject([
    { progress: reading(FLOW, ['look']), seen: { missing: [] } },
  ])
})

test('a step that two paths of one event show in part is one visit', () => {
  const part = { ...touch('look'), seen: seen([1]) }
  expect(ask({ spans, touched: [part, part] })?.changes).toHaveLength(1)
})
