import { describe, expect, test } from 'vitest'
import { advance, begin, type Move, type Progress } from '../plan/advance.ts'
import { stuckAt } from '../plan/moves.ts'
import { type Plan, type Step, stepOf } from '../plan/plan.ts'
import { validatePlan } from '../plan/validate.ts'
import { inline, item, phase, runbook } from './case.contract.ts'
import { AGAIN, isReview, modelFor, modelsFrom, planOf } from './plan.ts'
import type { RunbookModel } from './runbook.ts'

/** The plan in short: each step with its agent and model, and where it leads. */
const shortOf = ({ steps }: Plan) =>
  steps.map(({ id, hands, next = {}, limit }) => {
    const ways = Object.entries(next).map(([outcome, to]) => `${outcome} ${to.join('|') || 'end'}`)
    return `${id} (${hands === undefined ? 'itself' : `${hands.agent} ${hands.models.join('>')}`}, ${limit}): ${ways.join(', ')}`
  })

const TASK = 'auth-task'

test.each([
  ['no phase', runbook(), []],
  [
    'one phase, whose checkpoint is the final review',
    runbook(phase(1, item('1.1'), item('1.2', 'sonnet'))),
    [
      `step-1-1 (${TASK} haiku>sonnet>opus, 3): ok step-1-2`,
      `step-1-2 (${TASK} sonnet>opus, 2): ok final-review`,
      'fix-final-review (refactor sonnet>opus, 2): ok final-review',
      'final-review (vet opus>opus>opus, 3): ok end, fail fix-final-review, again final-review',
    ],
  ],
  [
    'two phases, each with its checkpoint',
    runbook(phase(1, item('1.1', 'opus')), phase(2, inline(2))),
    [
      `step-1-1 (${TASK} opus, 1): ok checkpoint-1`,
      'fix-checkpoint-1 (refactor sonnet>opus, 2): ok checkpoint-1',
      'checkpoint-1 (vet sonnet>sonnet>opus, 3): ok inline-2, fail fix-checkpoint-1, again checkpoint-1',
      'inline-2 (itself, 1): ok checkpoint-2',
      'fix-checkpoint-2 (refactor sonnet>opus, 2): ok checkpoint-2',
      'checkpoint-2 (vet sonnet>sonnet>opus, 3): ok final-review, fail fix-checkpoint-2, again checkpoint-2',
      'fix-final-review (refactor sonnet>opus, 2): ok final-review',
      'final-review (vet opus>opus>opus, 3): ok end, fail fix-final-review, again final-review',
    ],
  ],
  [
    'a phase without items, which has nothing to check',
    runbook(phase(1), phase(2, item('2.1', 'opus'))),
    [
      `step-2-1 (${TASK} opus, 1): ok final-review`,
      'fix-final-review (refactor sonnet>opus, 2): ok final-review',
      'final-review (vet opus>opus>opus, 3): ok end, fail fix-final-review, again final-review',
    ],
  ],
])('the plan of %s', (_, given, expected) => {
  expect(shortOf(planOf(given))).toEqual(expected)
})

test('a checkpoint runs the tests of its changes, and those at the end the whole test suite', () => {
  const { steps } = planOf(runbook(phase(1, item('1.1')), phase(2, item('2.1'))))
  const runsAll = ({ actions }: Step) => JSON.stringify(actions).includes('whole test suite')
  expect(steps.filter(isReview).map((step) => [step.id, runsAll(step)])).toEqual([
    ['checkpoint-1', false],
    ['checkpoint-2', true],
    ['final-review', true],
  ])
})

test('two phases with one number have checkpoints of their own', () => {
  const ids = planOf(runbook(phase(1, item('1.1')), phase(1, item('1.2')))).steps.map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)])
  expect(ids).toContain('checkpoint-1-2')
})

test('a step names its file and report, and keeps its turns', () => {
  const own = item('1.1', 'haiku', { maxTurns: 50, reportPath: 'reports/own.md' })
  const [first, second] = planOf(runbook(phase(1, own, item('1.2')))).steps
  expect(first?.hands).toMatchObject({
    file: 'plans/auth/steps/step-1-1.md',
    report: 'reports/own.md',
    turns: 50,
  })
  expect(second?.hands).toMatchObject({ report: 'plans/auth/reports/step-1-2.md', turns: 30 })
  expect(first?.actions).toBeUndefined()
})

test('a step or phase without a title is named by its number', () => {
  const plan = planOf(runbook({ ...phase(1, item('1.1', 'haiku', { title: '' })), title: '' }))
  expect(plan.steps[0]).toMatchObject({ title: 'Step 1.1', phase: 'Phase 1' })
})

test('the plan has no fault that its check would find', () => {
  const plan = planOf(runbook(phase(1, item('1.1'), inline(1)), phase(2, item('2.1'))))
  expect(validatePlan(plan).filter(({ severity }) => severity === 'error')).toEqual([])
})

test.each<[RunbookModel, readonly string[]]>([
  ['haiku', ['haiku', 'sonnet', 'opus', 'opus']],
  ['sonnet', ['sonnet', 'opus', 'opus', 'opus']],
  ['opus', ['opus', 'opus', 'opus', 'opus']],
])('each failure of a step for %s is worth one model', (first, models) => {
  const hands = { agent: TASK, models: modelsFrom(first), turns: 30, report: 'r.md' }
  expect([1, 2, 3, 4].map((attempt) => modelFor(hands, attempt))).toEqual(models)
})

describe('a plan that is carried out', () => {
  const plan = planOf(runbook(phase(1, item('1.1'), item('1.2', 'opus')), phase(2, inline(2))))
  const move = (progress: Progress, one: Move): Progress => {
    const moved = advance(plan, progress, one)
    if (!moved.ok) throw new Error(moved.why)
    return moved.progress
  }
  /** Starts the next step and ends it; `user` is a failure that only the user settles. */
  const end = (progress: Progress, outcome: string): Progress => {
    const [step = ''] = progress.open
    const isUsers = outcome === 'user'
    const leave: Move = { kind: 'leave', step, outcome: isUsers ? 'fail' : outcome, asksUser: isUsers }
    return move(move(progress, { kind: 'enter', step }), leave)
  }
  const after = (...outcomes: readonly string[]) => outcomes.reduce(end, begin(plan))
  const stuck = (progress: Progress) => stuckAt(plan, progress).map(({ id }) => id)

  test.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ['goes up one model for each failure', ['fail', 'fail'], ['step-1-1'], []],
    ['asks the user above the last model', ['fail', 'fail', 'fail'], [], ['step-1-1']],
    ['asks the user at once if no model helps', ['user'], [], ['step-1-1']],
    ['goes on after a failure that was made good', ['fail', 'ok'], ['step-1-2'], []],
    ['has one try for the strongest model', ['ok', 'fail'], [], ['step-1-2']],
    ['reviews a phase once its steps are done', ['ok', 'ok'], ['checkpoint-1'], []],
    ['fixes what a review finds', ['ok', 'ok', 'fail'], ['fix-checkpoint-1'], []],
    ['reviews again what was fixed', ['ok', 'ok', 'fail', 'ok'], ['checkpoint-1'], []],
    ['does a review again that could not be done', ['ok', 'ok', AGAIN], ['checkpoint-1'], []],
    ['asks the user about a review that cannot be done', ['ok', 'ok', 'user'], [], ['checkpoint-1']],
    ['asks the user after three reviews', ['ok', 'ok', AGAIN, AGAIN, AGAIN], [], ['checkpoint-1']],
    [
      'asks the user once two fixes were not enough',
      ['ok', 'ok', 'fail', 'ok', 'fail', 'ok', 'fail'],
      [],
      ['fix-checkpoint-1', 'checkpoint-1'],
    ],
    [
      'forgets the reviews that passed',
      ['ok', 'ok', 'fail', 'ok', 'fail', 'ok', 'ok', 'user'],
      [],
      ['inline-2'],
    ],
    ['gives the own work of the orchestrator one try', ['ok', 'ok', 'ok', 'fail'], [], ['inline-2']],
  ])('%s', (_, outcomes, open, stuckSteps) => {
    const progress = after(...outcomes)
    expect(progress.open).toEqual(open)
    expect(progress.status).toBe(stuckSteps.length === 0 ? 'running' : 'parked')
    expect(stuckSteps.length === 0 ? [] : stuck(progress)).toEqual(stuckSteps)
  })

  test('ends with its final review', () => {
    expect(after('ok', 'ok', 'ok', 'ok', 'ok', 'ok')).toMatchObject({ status: 'completed', open: [] })
  })

  test('goes on where the user says, and stays at the strongest model', () => {
    const parked = after('fail', 'fail', 'fail')
    const again = move(parked, { kind: 'resume', step: 'step-1-1' })
    const tried = move(again, { kind: 'enter', step: 'step-1-1' })
    expect(tried.visits['step-1-1']?.attempts).toBe(4)
    const past = move(parked, { kind: 'resume', step: 'step-1-2' })
    expect(past).toMatchObject({ status: 'running', open: ['step-1-2'] })
  })

  test('knows its reviews by what their failure leads to', () => {
    const isOne = (id: string) => isReview(stepOf(plan, id) as Step)
    expect(['step-1-1', 'inline-2', 'checkpoint-1', 'fix-checkpoint-1', 'final-review'].map(isOne)).toEqual([
      false,
      false,
      true,
      false,
      true,
    ])
  })
})
