import { describe, expect, test } from 'vitest'
import { advance, begin, type Progress } from './advance.ts'
import { planOf, step } from './case.contract.ts'
import type { Plan, Step } from './plan.ts'
import { planFor, valuesIn } from './plan-for.ts'
import { inPhases, inSequence } from './sequence.ts'

const plan = (steps: readonly Step[], more: Partial<Plan> = {}): Plan =>
  planOf(steps, { notation: 'series', entry: steps.slice(0, 1).map(({ id }) => id), ...more })

/** The order in which an agent that never skips reaches the end. */
function walk(of: Plan): readonly string[] {
  const done: string[] = []
  let progress: Progress = begin(of)
  for (let id = progress.open[0]; id !== undefined && done.length < 20; id = progress.open[0]) {
    const entered = advance(of, progress, { kind: 'enter', step: id })
    if (!entered.ok) throw new Error(entered.why)
    const left = advance(of, entered.progress, { kind: 'leave', step: id, outcome: 'ok' })
    if (!left.ok) throw new Error(left.why)
    done.push(id)
    ;({ progress } = left)
  }
  return [...done, progress.status]
}

describe('a mode', () => {
  const phases = plan(
    inPhases([step('1'), step('2', { only: 'full' }), step('3', { only: 'quick' }), step('4')]),
  )

  test('includes the phases for every mode and its own', () => {
    expect(walk(planFor(phases, { mode: 'quick' }))).toEqual(['1', '3', '4', 'completed'])
    expect(walk(planFor(phases, { mode: 'full' }))).toEqual(['1', '2', '4', 'completed'])
    expect(walk(planFor(phases, { mode: null }))).toEqual(['1', '2', '4', 'completed'])
  })

  test('leaves out every step of another mode, also where artifacts decide', () => {
    const made = planOf([
      step('a', { only: 'full', produces: ['x'] }),
      step('b', { only: 'full', consumes: ['x'], produces: ['y'] }),
      step('c', { consumes: ['y'] }),
    ])
    const quick = planFor(made, { mode: 'quick' })
    expect(quick.steps.map(({ id }) => id)).toEqual(['c'])
    expect(begin(quick).open).toEqual(['c'])
  })

  test('may leave out the first and the last step', () => {
    const ends = plan(inSequence([step('a', { only: 'full' }), step('b'), step('c', { only: 'full' })]))
    expect(walk(planFor(ends, { mode: 'quick' }))).toEqual(['b', 'completed'])
  })

  test('leaves out a producer: its consumers need what it consumed', () => {
    const files = plan(
      [
        step('a', { produces: ['x'] }),
        step('b', { only: 'full', consumes: ['x'], produces: ['y'] }),
        step('c', { consumes: ['y'] }),
      ],
      { notation: 'steps', entry: [] },
    )
    expect(walk(planFor(files, { mode: 'quick' }))).toEqual(['a', 'c', 'completed'])
  })
})

describe('a guard', () => {
  const guarded = plan(inSequence([step('a'), step('b', { when: { risk: 'high' } }), step('c')]), {
    variables: { risk: 'low' },
  })

  test('leaves its step out unless the variables have its values', () => {
    expect(walk(planFor(guarded, { mode: null }))).toEqual(['a', 'c', 'completed'])
    expect(walk(planFor(guarded, { mode: null, variables: { risk: 'high' } }))).toEqual([
      'a',
      'b',
      'c',
      'completed',
    ])
  })

  test('is not met by a name that every object inherits', () => {
    const odd = plan(inSequence([step('a'), step('b', { when: { constructor: 'x' } })]))
    expect(walk(planFor(odd, { mode: null }))).toEqual(['a', 'completed'])
  })
})

describe('sub-agents counted by a value', () => {
  const counted = (join: number, more: Partial<Plan> = {}) =>
    plan(inSequence([step('a', { dispatch: { count: 100, join, countOf: 'many' } })]), {
      format: 'xml',
      variables: { many: '' },
      ...more,
    })
  const dispatchFor = (one: Plan, many: string) => {
    const { count, join } = planFor(one, { mode: null, variables: { many } }).steps[0]?.dispatch ?? {}
    return { count, join }
  }

  test.each([
    ['3', 100, { count: 3, join: 3 }],
    ['3', 1, { count: 3, join: 1 }],
    ['3', 5, { count: 3, join: 3 }],
    ['2.9', 100, { count: 2, join: 2 }],
    ['', 100, { count: 1, join: 1 }],
    ['500', 100, { count: 100, join: 100 }],
  ])('are as many as "%s" says, and a join of %i is at most all of them', (many, join, wanted) =>
    expect(dispatchFor(counted(join), many)).toEqual(wanted),
  )
})

describe('optional phases', () => {
  const phases = plan(
    inPhases([step('1'), step('2', { optional: true }), step('3'), step('4', { optional: true })]),
  )

  test('may be entered or passed', () => {
    const first = advance(phases, begin(phases), { kind: 'enter', step: '1' })
    const left = first.ok
      ? advance(phases, first.progress, { kind: 'leave', step: '1', outcome: 'ok' })
      : first
    expect(left).toMatchObject({ ok: true, progress: { open: ['2', '3'] } })
  })

  test('do not hold the end', () => {
    expect(walk(planFor(phases, { mode: null }))).toEqual(['1', '2', '3', '4', 'completed'])
    let progress = begin(phases)
    for (const move of ['1', '3'])
      for (const kind of ['enter', 'leave'] as const) {
        const result = advance(
          phases,
          progress,
          kind === 'enter' ? { kind, step: move } : { kind, step: move, outcome: 'ok' },
        )
        if (!result.ok) throw new Error(result.why)
        ;({ progress } = result)
      }
    expect(progress).toMatchObject({ status: 'completed', open: ['4'] })
  })
})

describe('values', () => {
  const named = plan(
    [step('a', { proof: ['risk', 'deep'] }), step('b', { when: { risk: 'high', deep: 'true' } })],
    {
      variables: { count: '1' },
    },
  )

  test('of fields count where the plan uses the name, and are simple', () => {
    const fields = { risk: 'high', deep: true, count: 3, other: 'x' }
    expect(valuesIn(named, fields)).toEqual({ risk: 'high', deep: 'true', count: '3' })
    expect(valuesIn(named, { risk: ['high'], deep: null, count: {} })).toEqual({})
    expect(valuesIn(plan([step('a', { when: { toString: 'x' } })]), {})).toEqual({})
  })

  test('that only a claim gives do not count where a run must prove the field', () => {
    const demand = { rank: 'proved', command: 'npm test', covers: [] } as const
    expect(valuesIn({ ...named, demands: { risk: demand } }, { risk: 'high' })).toEqual({})
  })

  test('leave a step in the plan that was started', () => {
    const ids = (begun: readonly string[]) => planFor(named, { mode: null, begun }).steps.map(({ id }) => id)
    expect([ids([]), ids(['b'])]).toEqual([['a'], ['a', 'b']])
  })
})
