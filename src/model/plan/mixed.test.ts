import { describe, expect, test } from 'vitest'
import { advance, begin, type Progress } from './advance.ts'
import { planOf, step as stepOf } from './case.contract.ts'
import { dependents, ledSteps } from './mixed.ts'
import { stepsLeft } from './moves.ts'
import type { Plan, Step } from './plan.ts'
import { validatePlan } from './validate.ts'

const words = (text: string) => text.split(' ').filter((word) => word !== '')
const step = (id: string, consumes: string, produces: string, more: Partial<Step> = {}): Step =>
  stepOf(id, { consumes: words(consumes), produces: words(produces), ...more })
const plan = (...steps: readonly Step[]): Plan => planOf(steps)

/** Does steps in turn, `test:again` with that outcome, and shows what is open after each. */
function walk(of: Plan, ...moves: readonly string[]): readonly string[] {
  let progress: Progress = begin(of)
  return [
    progress.open.join(' '),
    ...moves.map((move) => {
      const [id = '', outcome = 'ok'] = move.split(':')
      const entered = advance(of, progress, { kind: 'enter', step: id })
      if (!entered.ok) return entered.why
      const left = advance(of, entered.progress, { kind: 'leave', step: id, outcome })
      if (!left.ok) return left.why
      progress = left.progress
      return progress.status === 'running' ? progress.open.join(' ') : progress.status
    }),
  ]
}

const LOOP = plan(
  step('plan', 'user-request', 'plan'),
  step('build', 'plan', 'code', { limit: 3, onLimit: 'ask' }),
  step('test', 'code', 'report', { next: { again: ['build'], replan: ['plan'] } }),
  step('ship', 'report', 'release'),
  step('ask', '', ''),
)

describe('a loop in a plan of artifacts', () => {
  test('starts by artifacts, goes back by an outcome, and ends by artifacts', () => {
    expect(walk(LOOP, 'plan', 'build', 'test', 'ship')).toEqual([
      'plan',
      'build',
      'test',
      'ship',
      'completed',
    ])
    expect(walk(LOOP, 'plan', 'build', 'test:again', 'build', 'test', 'ship')).toEqual([
      'plan',
      'build',
      'test',
      'build',
      'test',
      'ship',
      'completed',
    ])
  })

  test('repeats every step that needs what is made again', () => {
    expect(walk(LOOP, 'plan', 'build', 'test:replan', 'plan', 'build', 'test').slice(3)).toEqual([
      'plan',
      'build',
      'test',
      'ship',
    ])
  })

  test('closes what waits for something that is made again', () => {
    const polished = plan(...LOOP.steps, step('polish', 'code', 'shine', { optional: true }))
    expect(walk(polished, 'plan', 'build', 'test:replan', 'polish', 'plan', 'build').slice(2)).toEqual([
      'test polish',
      'plan',
      expect.stringContaining('is not next'),
      'build',
      'test polish',
    ])
  })

  test('continues elsewhere once its limit is reached', () => {
    const again = ['build', 'test:again']
    expect(walk(LOOP, 'plan', ...again, ...again, ...again, 'ask').slice(-2)).toEqual(['ask', 'parked'])
  })

  test('needs a limit', () => {
    const free = plan(
      ...LOOP.steps.map((one) =>
        one.id === 'build' ? step('build', 'plan', 'code', { next: { stuck: ['ask'] } }) : one,
      ),
    )
    expect(validatePlan(free).map(({ code, message }) => `${code} ${message}`)).toEqual([
      'HF306 build → test → build has no limit.',
      'HF306 plan → build → test → plan has no limit.',
    ])
    expect(validatePlan(LOOP)).toEqual([])
  })

  test('refuses an outcome that nothing names', () => {
    expect(walk(LOOP, 'plan', 'build', 'test:odd').at(-1)).toMatch(
      /^Step "test" has no next step for the outcome "odd"\. It has: ok, /,
    )
  })
})

describe('a branch in a plan of artifacts', () => {
  const BRANCH = plan(
    step('judge', 'user-request', 'verdict', { next: { ok: ['ship'], low: ['rework'], stop: [] } }),
    step('ship', 'verdict', 'release'),
    step('rework', 'verdict', 'patch'),
    step('notes', 'user-request', 'notes'),
  )

  test('opens only what its outcome names', () => {
    expect(walk(BRANCH, 'judge', 'notes', 'ship')).toEqual(['judge notes', 'ship notes', 'ship', 'completed'])
    expect(walk(BRANCH, 'judge:low', 'notes', 'rework')).toEqual([
      'judge notes',
      'rework notes',
      'rework',
      'completed',
    ])
    expect(walk(BRANCH, 'ship')[1]).toContain('is not next')
  })

  test('ends the plan by an outcome even if something else is under way', () => {
    const moves = [
      { kind: 'enter', step: 'notes' },
      { kind: 'enter', step: 'judge' },
      { kind: 'leave', step: 'judge', outcome: 'stop' },
      { kind: 'leave', step: 'notes', outcome: 'ok' },
    ] as const
    let progress = begin(BRANCH)
    const states = moves.map((move) => {
      const moved = advance(BRANCH, progress, move)
      if (moved.ok) ({ progress } = moved)
      return progress
    })
    expect(states.slice(-2)).toMatchObject([
      { status: 'running', current: ['notes'], open: [] },
      { status: 'completed', open: [] },
    ])
  })

  test('ends the plan by an outcome that names no step', () => {
    expect(walk(BRANCH, 'judge:stop')).toEqual(['judge notes', 'completed'])
  })

  test('has no fault', () => {
    expect(validatePlan(BRANCH)).toEqual([])
    expect([...ledSteps(BRANCH)]).toEqual(['ship', 'rework'])
  })

  test('opens a choice again that failed, and parks at its limit instead of ending', () => {
    const limited = plan(...BRANCH.steps.map((one) => (one.id === 'ship' ? { ...one, limit: 2 } : one)))
    expect(walk(limited, 'judge', 'notes', 'ship:fail', 'ship')).toEqual([
      'judge notes',
      'ship notes',
      'ship',
      'ship',
      'completed',
    ])
    const spent = ['judge', 'ship:fail', 'ship:fail', 'notes']
    expect(walk(limited, ...spent).slice(-2)).toEqual(['notes', 'parked'])
  })

  test('closes the other choices of one outcome, and nothing else', () => {
    const choice = plan(
      step('judge', 'user-request', 'verdict', { next: { ok: ['a', 'b'] } }),
      step('a', '', ''),
      step('b', '', ''),
      step('c', 'user-request', 'c'),
    )
    expect(walk(choice, 'judge', 'c', 'b')).toEqual(['judge c', 'a b c', 'a b', 'completed'])
  })
})

test('a detour returns to the step that it came from', () => {
  const detour = plan(
    step('build', 'user-request', 'code'),
    step('repair', '', '', { next: { ok: ['test'] } }),
    step('test', 'code', 'report', { next: { fail: ['repair'] }, limit: 3 }),
  )
  expect(walk(detour, 'build', 'test:fail', 'repair', 'test')).toEqual([
    'build',
    'test',
    'repair',
    'test',
    'completed',
  ])
  expect(validatePlan(detour)).toEqual([])
})

test('the steps that are left are neither choices not taken nor faulty', () => {
  const left = (of: Plan) => stepsLeft(of, begin(of)).map(({ id }) => id)
  expect(left(LOOP)).toEqual(['plan', 'build', 'test', 'ship'])
  expect(left({ ...LOOP, faulty: ['ship'] })).toEqual(['plan', 'build', 'test'])
})

test('a faulty step may be read at any time, and nothing waits for its end', () => {
  const of = { ...LOOP, faulty: ['test', 'ship'] }
  expect(walk(of, 'ship')[1]).toBe('plan')
  expect(walk(of, 'plan', 'build').at(-1)).toBe('completed')
  expect(walk(of, 'build')[1]).toContain('is not next')
})

test('dependents need a product directly or not', () => {
  expect(dependents(LOOP, ['build'])).toEqual(['test', 'ship'])
  expect(dependents(LOOP, ['ship'])).toEqual([])
})
