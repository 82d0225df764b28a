import { describe, expect, test } from 'vitest'
import type { Field, Plan, Step } from '../plan/plan.ts'
import { checkPlan, validatePlan } from '../plan/validate.ts'

const PLACE = { file: 'x/workflow.ts', line: 1, column: 1 }
const make = (id: string, more: Partial<Step> = {}): Step => ({
  id,
  label: id,
  title: id,
  optional: false,
  consumes: [],
  produces: [],
  proof: [],
  next: { ok: [] },
  place: PLACE,
  ...more,
})

const SURE: Field = { type: 'choice', choices: ['low', 'high'], default: 'low' }
const TEXT: Field = { type: 'text' }

function plan(steps: readonly Step[], more: Partial<Plan> = {}): Plan {
  const { params = {}, state = { sure: SURE } } = more
  const variables = Object.fromEntries(Object.keys({ ...params, ...state }).map((name) => [name, '']))
  const base = { notation: 'workflow', explicit: true, gate: 'produced', format: 'xml' } as const
  return { ...base, entry: ['a'], steps, state, variables, ...more }
}

const told = (of: Plan) => validatePlan(of).map(({ code, message }) => `${code} ${message}`)

describe('a name that nothing declares', () => {
  const stray = (more: Partial<Step>) => told(plan([make('a', more)]))
  const uses = (name: string, end = '.') => [
    `HF326 Step a uses ${name}, which neither params nor state declares${end}`,
  ]

  test.each([
    ['a guard', { when: { shure: 'high' } }, 'shure', '; did you mean sure?'],
    ['a decision', { decides: [{ when: { mode: 'x' }, outcome: 'ok' }] }, 'mode', '.'],
    ['a title', { title: 'Go {{where}}' }, 'where', '.'],
    ['an action', { actions: ['Go {{ state.where }}.'] }, 'where', '.'],
    ['a block', { actions: [{ block: 'routing', cases: { PASS: '{{where}}' } }] }, 'where', '.'],
    ['what looks like a template', { actions: ['Go {{params.where}}.'] }, 'params.where', '.'],
    ['an instruction', { dispatch: { count: 1, join: 1, instruction: '{{where}}' } }, 'where', '.'],
    ['a value for sub-agents', { dispatch: { count: 1, join: 1, vars: { v: '{{where}}' } } }, 'where', '.'],
    [
      'a task',
      { dispatch: { count: 1, join: 1, each: [{ id: 'x', title: 'X', task: '{{where}}' }] } },
      'where',
      '.',
    ],
    ['a pattern', { writes: ['${where}/**'] }, 'where', '.'],
  ] as const)('is found in %s', (_, more, name, end) => expect(stray(more)).toEqual(uses(name, end)))

  test('is no declared one, no proof field, and nothing that belongs to other programs', () => {
    const actions = ['{{sure}} {{ state.sure }} ${{ github.ref }} {{ a b }} {{}} { {x} }']
    expect(stray({ actions, when: { sure: 'high' } })).toEqual([])
    expect(stray({ proof: ['shown'], actions: ['{{shown}}'] })).toEqual([])
  })

  test('is only advice in a plan that nobody prints', () => {
    const { format: _, ...silent } = plan([make('a', { when: { mode: 'x' }, actions: ['{{where}}'] })])
    expect(told(silent)).toEqual(['HF322 Step a uses the variable mode, which nothing sets.'])
  })
})

describe('a value that its field never has', () => {
  const params = { size: { type: 'number', min: 1 }, deep: { type: 'boolean' } } as const
  const faults = (more: Partial<Step>) =>
    told(plan([make('a', more)], { params, state: { sure: SURE } })).filter((one) => one.startsWith('HF327'))

  test.each([
    [{ when: { sure: 'hihg' } }, 'sure with "hihg", but it is one of low, high'],
    [{ when: { deep: 'yes' } }, 'deep with "yes", but it is true or false'],
    [{ when: { size: '0' } }, 'size with "0", but it is a number of at least 1'],
    [
      { decides: [{ when: { sure: ['low', 'x'] }, outcome: 'ok' }] },
      'sure with "x", but it is one of low, high',
    ],
  ])('%j', (more, text) => expect(faults(more)).toEqual([`HF327 Step a compares ${text}.`]))

  test('an empty one is one that nobody has set', () =>
    expect(faults({ decides: [{ when: { sure: ['low', ''] }, outcome: 'ok' }] })).toEqual([]))
})

describe('a decision', () => {
  const next = { ok: [], again: ['a'] }
  const faults = (...decides: NonNullable<Step['decides']>) =>
    told(plan([make('a', { decides, next, limit: 2 })]))

  test('needs a way for its outcome; a failure may have none', () => {
    const when = { sure: 'low' }
    expect(faults({ when, outcome: 'agian' }, { outcome: 'ok' })).toEqual([
      'HF328 Step a decides "agian", which its next does not map.',
    ])
    expect(faults({ when, outcome: 'again' }, { outcome: 'fail' })).toEqual([])
  })

  test('for all values is the last one', () =>
    expect(faults({ outcome: 'ok' }, { when: { sure: 'low' }, outcome: 'again' })).toEqual([
      'HF328 Step a decides "ok" for all values before its last decision.',
    ]))
})

describe('a dispatch', () => {
  const inner = plan([make('a')], {
    params: { about: { type: 'text', required: true }, size: { type: 'number' }, rest: TEXT },
    state: { result: TEXT },
  })
  const own = plan([make('a')], {
    params: { id: { type: 'number' }, title: { type: 'text', required: true } },
  })
  const ATTIC = { id: 'attic', title: 'The attic', task: 'Look there.' }
  const faults = (dispatch: object, state: Plan['state'] = { result: TEXT }) =>
    told(
      plan([make('a', { dispatch: { count: 1, join: 1, ...dispatch } })], {
        state,
        workflows: { look: inner, own },
      }),
    )

  test('fits the workflow that it runs', () =>
    expect(
      faults({ workflow: 'look', vars: { about: 'x', size: '{{result}}', other: 'y' }, returns: ['result'] }),
    ).toEqual([]))

  test.each([
    [{ workflow: 'lok' }, 'dispatches the workflow "lok", but workflows has look, own'],
    [{ workflow: 'look' }, 'does not tell about in vars, which workflow look requires'],
    [
      { workflow: 'look', vars: { about: 'x', size: 'big' } },
      'tells a value that does not fit: size of workflow look must be a number, not "big"',
    ],
    [
      { workflow: 'own', each: [ATTIC] },
      'tells a value that does not fit: id of workflow own must be a number, not "attic"',
    ],
    [{ returns: ['rseult'] }, 'gets rseult back, which its own state does not declare'],
  ])('%j', (dispatch, text) => expect(faults(dispatch)).toEqual([`HF329 Step a ${text}.`]))

  test('tells each sub-agent what its own task says', () =>
    expect(faults({ workflow: 'own', each: ['1', '2'].map((id) => ({ ...ATTIC, id })) })).toEqual([]))

  test('wants back only what that workflow has', () =>
    expect(faults({ workflow: 'look', vars: { about: 'x' }, returns: ['sure'] }, { sure: SURE })).toEqual([
      'HF329 Step a wants sure back, which the state of workflow look does not declare.',
    ]))

  test('is counted by a number of at least 1', () => {
    const counted = { count: 100, join: 100, countOf: 'many' }
    expect(faults(counted, { many: { type: 'number', min: 1, max: 9 } })).toEqual([])
    const text = 'counts its sub-agents by many, which must be a number with min 1 and max 100 or less'
    for (const many of [{ type: 'number', max: 9 }, { type: 'number', min: 1 }, TEXT] as const)
      expect(faults(counted, { many })).toEqual([`HF329 Step a ${text}.`])
  })

  test('tells each sub-agent its number by itself', () => {
    const numbered = plan([make('a')], { params: { child: { type: 'number', required: true } } })
    const dispatch = { count: 1, join: 1, workflow: 'numbered' }
    expect(told(plan([make('a', { dispatch })], { workflows: { numbered } }))).toEqual([])
  })

  test('without any workflow says so', () =>
    expect(told(plan([make('a', { dispatch: { count: 1, join: 1, workflow: 'look' } })]))).toEqual([
      'HF329 Step a dispatches the workflow "look", but workflows has none.',
    ]))
})

describe('a gate', () => {
  const work = make('a', { next: { ok: ['review'] }, limit: 5 })
  const review = make('review', {
    next: { ok: ['check'] },
    review: { name: 'R', gate: 'check' },
    dispatch: { count: 1, join: 1, returns: ['result', 'report'] },
  })
  const check = make('check', {
    next: { pass: [], fail: ['a'] },
    decides: [{ when: { result: 'pass' }, outcome: 'pass' }, { outcome: 'fail' }],
    gate: { name: 'R', review: 'review', work: 'a', message: 'Good.', fix: 'self' },
  })
  const state = { result: { type: 'choice', choices: ['pass', 'fail'] }, report: TEXT } as const
  const faults = (...steps: readonly Step[]) => told(plan(steps, { state }))

  test('with its review and its work is sound', () => expect(faults(work, review, check)).toEqual([]))

  test.each<readonly [string, Step, Step, Step, readonly string[]]>([
    [
      'a review of another gate',
      work,
      { ...review, review: { name: 'R', gate: 'a' } },
      check,
      [
        'Step review is a review, but "a" is not its gate.',
        'Step check has no review: "review" is no review of it.',
      ],
    ],
    [
      'a review that returns nothing',
      work,
      { ...review, dispatch: { count: 1, join: 1 } },
      check,
      ['Step check has a review that does not return result and report.'],
    ],
    [
      'no decision',
      work,
      review,
      { ...check, decides: [{ outcome: 'fail' }] },
      ['Step check does not decide between pass and fail.'],
    ],
    [
      'no way for a pass',
      work,
      review,
      { ...check, next: { ok: [], fail: ['a'] }, decides: [{ when: { result: 'fail' }, outcome: 'fail' }] },
      ['Step check does not decide between pass and fail.', 'Step check does not say where a pass leads.'],
    ],
    [
      'a failure that leads elsewhere',
      work,
      review,
      { ...check, next: { pass: [], fail: ['review'] }, limit: 3 },
      ['Step check does not lead back to its work on a failure.'],
    ],
    [
      'work that is never reviewed again',
      { ...work, next: { ok: [] } },
      review,
      check,
      ['Step check is not asked again: "a" does not lead to the review.'],
    ],
  ])('with %s is not', (_, one, two, three, wanted) => {
    const messages = faults(one, two, three).filter((text) => text.startsWith('HF330'))
    expect(messages).toEqual(wanted.map((text) => `HF330 ${text}`))
  })
})

test('workflows of sub-agents are checked too, and keep their own faulty steps', () => {
  const inner = plan([make('a'), make('b', { consumes: ['gone'], next: { ok: [] } })], { entry: ['a', 'b'] })
  const { plan: checked, diagnostics } = checkPlan(plan([make('a')], { workflows: { look: inner } }))
  expect(diagnostics).toMatchObject([
    { code: 'HF307', message: expect.stringMatching(/^Workflow look: Step b/) as string },
  ])
  expect(checked).not.toHaveProperty('faulty')
  expect(checked.workflows?.['look']?.faulty).toEqual(['b'])
})
