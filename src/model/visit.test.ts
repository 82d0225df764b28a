import { expect, test } from 'vitest'
import { advance, begin, type Move, type Progress } from './advance.ts'
import type { Plan } from './plan.ts'
import { replay } from './visit.ts'

/** Steps one after the other, each of which may be tried twice. */
const line = (...ids: readonly string[]): Plan => ({
  notation: 'workflow',
  explicit: true,
  gate: 'produced',
  entry: ids.slice(0, 1),
  steps: ids.map((id, index) => ({
    id,
    label: id,
    title: id,
    optional: false,
    consumes: [],
    produces: [],
    proof: [],
    limit: 2,
    next: { ok: ids.slice(index + 1, index + 2), fail: [id] },
    place: { file: 'x', line: 1, column: 1 },
  })),
})
const enter = (step: string): Move => ({ kind: 'enter', step })
const leave = (step: string, outcome = 'ok'): Move => ({ kind: 'leave', step, outcome })
function after(plan: Plan, ...moves: readonly Move[]): Progress {
  return moves.reduce((progress, move) => {
    const next = advance(plan, progress, move)
    if (!next.ok) throw new Error(next.why)
    return next.progress
  }, begin(plan))
}
const carried = (from: Progress, visited: readonly string[], to: Plan) => replay(to, visited, from.visits)

const plan = line('a', 'b', 'c')

test('into the same plan, everything is carried over as it was', () => {
  for (const moves of [
    [enter('a')],
    [enter('a'), leave('a')],
    [enter('a'), leave('a'), enter('b'), leave('b', 'fail')],
    [enter('a'), leave('a'), enter('b'), leave('b', 'fail'), enter('b')],
    [enter('a'), leave('a', 'fail'), enter('a'), leave('a', 'fail')],
    [enter('a'), leave('a'), enter('b'), leave('b'), enter('c'), leave('c')],
  ]) {
    const progress = after(plan, ...moves)
    const visited = [...new Set(moves.map(({ step }) => step))]
    expect(carried(progress, visited, plan)).toEqual(progress)
  }
})

test('a step that was begun stays begun, and one that is gone is forgotten with what came after it', () => {
  const progress = after(plan, enter('a'), leave('a'), enter('b'))
  expect(carried(progress, ['a', 'b'], line('a', 'b', 'new'))).toMatchObject({ current: ['b'] })
  expect(carried(progress, ['a', 'b'], line('a', 'new', 'b'))).toMatchObject({ current: [], open: ['new'] })
  expect(carried(progress, ['a', 'b'], line('new', 'a'))).toMatchObject({
    current: [],
    open: ['new'],
    visits: {},
  })
})

test('attempts are carried over, so that a change of the file gives nobody new ones', () => {
  const progress = after(plan, enter('a'), leave('a', 'fail'), enter('a'), leave('a', 'fail'))
  expect(carried(progress, ['a'], line('a', 'z'))).toMatchObject({
    status: 'parked',
    visits: { a: { attempts: 2 } },
  })
})
