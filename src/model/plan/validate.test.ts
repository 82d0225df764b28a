import { describe, expect, test } from 'vitest'
import type { Plan, Step } from './plan.ts'
import { validatePlan } from './validate.ts'

const step = (id: string, more: Partial<Step> = {}): Step => ({
  id,
  label: id,
  title: '',
  optional: false,
  consumes: [],
  produces: [],
  proof: [],
  place: { file: `${id}.md`, line: 3, column: 2 },
  ...more,
})
const told = (entry: readonly string[], steps: readonly Step[]) => {
  const plan: Plan = { notation: 'workflow', explicit: true, gate: 'visited', entry, steps }
  return validatePlan(plan).map(
    ({ code, file, line, column, message }) => `${code} ${file}:${line}:${column} ${message}`,
  )
}
const to = (...targets: readonly string[]) => ({ next: { ok: targets } })

describe('a fault is told with its path', () => {
  test('a step that nothing leads to, and one that only such a step leads to', () => {
    expect(told(['a'], [step('a', to()), step('b', to('c')), step('c', to())])).toEqual([
      'HF304 b.md:3:2 Step b cannot be reached from a: ? → b.',
      'HF304 c.md:3:2 Step c cannot be reached from a: ? → b → c.',
    ])
  })

  test('a dead end, with the way into it', () => {
    expect(
      told(
        ['a'],
        [step('a', to('b')), step('b', { next: { ok: ['c'], skip: [] } }), step('c', { next: {} })],
      ),
    ).toEqual(['HF303 c.md:3:2 Step c has no outcome with a next step or an end: a → b → c → ?.'])
  })

  test('a dead end far away, with the last part of the way', () => {
    const chain = Array.from({ length: 30 }, (_, n) =>
      step(`s${n}`, { next: { ok: [`s${n + 1}`], stop: [] } }),
    )
    expect(told(['s0'], [...chain, step('s30', { next: {} })])[0]).toMatch(/: … → s19 → s20 .* → s30 → \?\.$/)
  })

  test('a plan that only goes round', () => {
    expect(told(['a'], [step('a', { ...to('b'), limit: 3 }), step('b', to('a'))])).toEqual([
      'HF305 a.md:3:2 No outcome of any of the 2 steps ends the plan: a → b → a.',
    ])
  })

  test('a loop without a limit, with its way and not with the way into it', () => {
    expect(
      told(['a'], [step('a', to('b')), step('b', to('c')), step('c', { next: { ok: [], fail: ['b'] } })]),
    ).toEqual(['HF306 b.md:3:2 b → c → b has no limit.'])
  })

  test('an artifact that nobody produces, with what was probably meant', () => {
    expect(told([], [step('a', { produces: ['findings'] }), step('b', { consumes: ['finding'] })])).toEqual([
      'HF307 b.md:3:2 Step b consumes finding, which no step produces: ? → finding → b; did you mean findings?',
    ])
  })

  test('two producers, and a step that waits for itself', () => {
    expect(told([], [step('a', { produces: ['x'] }), step('b', { produces: ['x'] })])).toEqual([
      'HF308 b.md:3:2 Step b produces x, which a produces already: a → x ← b.',
    ])
    expect(told([], [step('a', { produces: ['x'], consumes: ['x'] })])).toEqual([
      'HF309 a.md:3:2 Step a consumes x, which it produces itself: a → x → a.',
    ])
  })

  test('steps that wait for each other', () => {
    expect(
      told(
        [],
        [
          step('a', { consumes: ['z'], produces: ['x'] }),
          step('b', { consumes: ['x'], produces: ['y'] }),
          step('c', { consumes: ['y'], produces: ['z'] }),
        ],
      ),
    ).toEqual(['HF313 a.md:3:2 Each of a → c → b → a waits for the next.'])
  })
})

test('a plan full of unknown artifacts gets twenty guesses, because each is slow', () => {
  const steps = Array.from({ length: 300 }, (_, n) =>
    step(`s${n}`, { consumes: [`finding${n}`], produces: [`findings${n}`] }),
  )
  const faults = told(['s0'], steps).filter((fault) => fault.startsWith('HF307'))
  expect(faults).toHaveLength(300)
  expect(faults.filter((fault) => fault.includes('did you mean'))).toHaveLength(20)
})

test('a plan full of circles is told of up to twenty', () => {
  const steps = Array.from({ length: 100 }, (_, n) =>
    step(`s${n}`, { next: { ok: [`s${n + 1}`], again: ['s0'] } }),
  )
  expect(told(['s0'], [...steps, step('s100', to())])).toHaveLength(20)
})
