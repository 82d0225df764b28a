import { describe, expect, test } from 'vitest'
import { advance, begin, type Progress } from './advance.ts'
import { planOf, step } from './case.contract.ts'
import type { Plan } from './plan.ts'
import { progressText } from './progress-text.ts'

/** Enters and leaves these steps; one with `+` is only entered. */
const after = (plan: Plan, moves: readonly string[]): Progress =>
  moves.reduce((progress, move) => {
    const [id = '', outcome = 'ok'] = move.replace('+', '').split(':')
    const entered = advance(plan, progress, { kind: 'enter', step: id })
    if (!entered.ok) throw new Error(entered.why)
    if (move.endsWith('+')) return entered.progress
    const left = advance(plan, entered.progress, { kind: 'leave', step: id, outcome })
    if (!left.ok) throw new Error(left.why)
    return left.progress
  }, begin(plan))

describe('the progress of a plan', () => {
  const line = planOf([
    step('look', { produces: ['view'] }),
    step('polish', { consumes: ['view'], optional: true }),
    step('do', { consumes: ['view'] }),
  ])
  const fork = planOf(
    [
      step('a', { next: { ok: ['b'], hard: ['c'] } }),
      step('b', { next: { ok: [] } }),
      step('c', { next: { ok: [] } }),
    ],
    { entry: ['a'], notation: 'workflow' },
  )

  test.each<[string, Plan, readonly string[]]>([
    ['0 of 2 steps done', line, []],
    ['0 of 2 steps done, started: look', line, ['look+']],
    ['1 of 2 steps done', line, ['look']],
    ['1 of 2 steps done, started: polish, do', line, ['look', 'polish+', 'do+']],
    ['2 of 2 steps done', line, ['look', 'do']],
    ['2 of 2 steps done', line, ['look', 'polish', 'do']],
    ['0 of 1 step done', planOf([step('only')]), []],
    ['0 of 0 steps done', planOf([step('only', { optional: true })]), []],
    ['1 of 2 steps done', fork, ['a:hard']],
    ['2 of 2 steps done', fork, ['a:hard', 'c']],
  ])('is "%s"', (text, plan, moves) => {
    expect(progressText(plan, after(plan, moves))).toBe(text)
  })

  test('names a started step that the plan no longer has by its id', () => {
    const progress = { ...begin(line), current: ['old'] }
    expect(progressText(line, progress)).toBe('0 of 2 steps done, started: old')
  })
})
