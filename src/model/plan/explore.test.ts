import { expect, test } from 'vitest'
import { planOf, step } from './case.contract.ts'
import { explore } from './explore.ts'
import type { Plan, Step } from './plan.ts'
import { variantsOf } from './variants.ts'

const from = (entry: string, ...steps: readonly Step[]): Plan =>
  planOf(steps, { notation: 'workflow', entry: [entry] })

/** A choice on a way, as `check fail`. */
const said = (way: readonly { readonly step: string; readonly outcome: string }[]) =>
  way.map((taken) => `${taken.step} ${taken.outcome}`)

const GOOD: Readonly<Record<string, Plan>> = {
  'a line': from('a', step('a', { next: { ok: ['b'] } }), step('b', { next: { ok: [] } })),
  'a loop with a limit, after which the user approves': from(
    'work',
    step('work', { next: { ok: ['check'] }, limit: 3 }),
    step('check', { next: { ok: [], fail: ['work'] } }),
  ),
  'a loop that leads elsewhere at its limit': from(
    'work',
    step('work', { next: { ok: ['check'] }, limit: 3, onLimit: 'undo' }),
    step('check', { next: { ok: [], fail: ['work'] } }),
    step('undo', { next: { ok: [] } }),
  ),
  'sub-agents of whom some must succeed': from(
    'a',
    step('a', { next: { ok: ['b'] }, dispatch: { count: 3, join: 2 } }),
    step('b', { next: { ok: [] } }),
  ),
  'values that decide': from(
    'a',
    step('a', {
      next: { deep: ['b'], flat: [] },
      decides: [{ when: { x: '1' }, outcome: 'deep' }, { outcome: 'flat' }],
    }),
    step('b', { next: { ok: [] } }),
  ),
  'artifacts in any order': planOf([
    ...Array.from({ length: 30 }, (_, at) => step(`part-${at}`, { produces: [`made-${at}`] })),
    step('end', { consumes: Array.from({ length: 30 }, (_, at) => `made-${at}`) }),
  ]),
  'an optional step at the end': planOf([
    step('a', { produces: ['x'] }),
    step('b', { consumes: ['x'], optional: true }),
  ]),
  'a detour by any other outcome': from(
    'a',
    step('a', { next: { ok: [], _default: ['b'] } }),
    step('b', { next: { ok: [] } }),
  ),
}

test.each(Object.entries(GOOD))('%s: every path ends, and every step is on one', (_, plan) => {
  const { traps, ends, isWhole, ways } = explore(plan)
  expect({ traps, isWhole }).toEqual({ traps: [], isWhole: true })
  expect(ends).toBeGreaterThan(0)
  expect(new Set(ways.map((way) => way.at(-1)?.step))).toEqual(new Set(plan.steps.map(({ id }) => id)))
})

const BAD: readonly (readonly [string, Plan, kind: string, way: readonly string[]])[] = [
  [
    'a loop without a way out',
    from(
      'a',
      step('a', { next: { ok: [], fail: ['b'] } }),
      step('b', { next: { ok: ['c'] } }),
      step('c', { next: { ok: ['b'] } }),
    ),
    'endless',
    ['a fail'],
  ],
  [
    'a limit that parks where nothing can be approved',
    from(
      'a',
      step('a', { next: { ok: [], fail: ['b'] } }),
      step('b', { next: { ok: ['c'] } }),
      step('c', { next: { ok: ['b'] }, limit: 2 }),
    ),
    'parked',
    ['a fail', 'b ok', 'c fail', 'c fail', 'c ok', 'b ok'],
  ],
  [
    'a decided outcome without a way',
    from(
      'a',
      step('a', { next: { ok: [] }, decides: [{ when: { x: '1' }, outcome: 'again' }, { outcome: 'ok' }] }),
    ),
    'outcome',
    ['a again'],
  ],
  [
    'a beginning that waits for what nobody makes first',
    planOf([
      step('a', { consumes: ['y'], produces: ['x'] }),
      step('b', { consumes: ['x'], produces: ['y'] }),
    ]),
    'parked',
    [],
  ],
]

test.each(BAD)('%s is found, with the way to it', (_, plan, kind, way) => {
  const [trap] = explore(plan).traps
  expect(trap).toMatchObject({ kind })
  expect(said(trap?.way ?? [])).toEqual(way)
})

test('limits are reached, and what follows at a limit is taken', () => {
  const { ways } = explore(GOOD['a loop that leads elsewhere at its limit'] ?? from(''))
  const last = ways.find((way) => way.at(-1)?.step === 'undo') ?? []
  expect(said(last)).toEqual(['work fail', 'work fail', 'undo ok'])
})

test('a limit without another step parks, and the way goes on as the user approves', () => {
  const { ways } = explore(
    from('a', step('a', { next: { ok: ['b'] }, limit: 1 }), step('b', { next: { ok: [] } })),
  )
  expect(ways.map(said)).toContainEqual(['a ok', 'b ok'])
})

test('a plan of 300 steps with a way back from each is explored within its bounds', () => {
  const steps = Array.from({ length: 300 }, (_, at) =>
    step(`s${at}`, {
      next: { ok: at === 299 ? [] : [`s${at + 1}`], fail: [`s${Math.max(0, at - 1)}`] },
      limit: 5,
    }),
  )
  expect(explore(from('s0', ...steps)).traps).toEqual([])
})

test('a plan begins in each mode and with each value at which it differs', () => {
  const plan = planOf([step('a', { only: 'quick' }), step('b', { when: { depth: 'deep' } })], {
    variables: { depth: 'flat', rounds: '3', words: '' },
    params: {
      rounds: { type: 'number', min: 1, max: 9 },
      words: { type: 'text' },
    },
  })
  const variants = variantsOf(plan)
  expect(variants).toHaveLength(2 * 2 * 3)
  expect(new Set(variants.map(({ variables }) => variables['rounds']))).toEqual(new Set(['1', '3', '9']))
  expect(new Set(variants.map(({ variables }) => variables['depth']))).toEqual(new Set(['flat', 'deep']))
})

test('many values are tried one by one', () => {
  const names = Array.from({ length: 12 }, (_, at) => `flag-${at}`)
  const params = Object.fromEntries(names.map((name) => [name, { type: 'boolean' as const }]))
  expect(variantsOf(planOf([step('a')], { params }))).toHaveLength(13)
})
