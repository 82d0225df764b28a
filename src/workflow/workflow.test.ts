import { describe, expect, test } from 'vitest'
import { CONFIDENCE, dispatch, gate, param, REVIEW_STATE, reviewReport, step, workflow } from './index.ts'
import * as door from './index.ts'

describe('a definition', () => {
  const made = workflow(
    'release',
    [
      step({ id: 'build', title: 'Build', next: 'qr' }),
      ...gate({
        id: 'qr',
        name: 'Release',
        phase: 'Review',
        work: 'build',
        pass: 'ship',
        review: dispatch('quality-reviewer', { workflow: 'review', returns: ['report', 'sure'] }),
      }),
      step({ id: 'ship', title: 'Ship', next: null }),
    ],
    { format: 'text', state: { sure: param.choice(CONFIDENCE) } },
  )

  test('is plain data', () => {
    expect(JSON.parse(JSON.stringify(made))).toEqual(made)
    expect(Object.values(made).filter((one) => typeof one === 'function')).toEqual([])
    expect(workflow('x', [step({ id: 'a', title: 'A', next: null })])).toEqual({
      format: 'xml',
      name: 'x',
      steps: [{ id: 'a', title: 'A', next: null }],
    })
  })

  test('of a gate has a review with its gate, what the review returns, and a limit for the work', () => {
    expect(made).toMatchObject({
      format: 'text',
      state: { result: { choices: ['pass', 'fail'] }, report: { type: 'text' }, sure: {} },
      steps: [
        { id: 'build', limit: door.QR_LIMIT },
        {
          id: 'qr',
          title: 'Release: review',
          phase: 'Review',
          dispatch: { agent: 'quality-reviewer', returns: ['result', 'report', 'sure'] },
          review: { name: 'Release', gate: 'qr-gate' },
          next: 'qr-gate',
        },
        {
          id: 'qr-gate',
          phase: 'Review',
          gate: { review: 'qr', work: 'build', message: 'Release passed.', fix: 'self' },
          next: { pass: 'ship', fail: 'build' },
        },
        { id: 'ship' },
      ],
    })
  })

  test('of a reviewer ends with a report and returns what its gate asks for', () => {
    const { steps, state } = workflow(
      'review',
      [step({ id: 'look', title: 'Look', next: 'report' }), reviewReport('vet')],
      { state: REVIEW_STATE },
    )
    expect(Object.keys(state ?? {})).toEqual(['result', 'report'])
    expect(steps.at(-1)).toMatchObject({ id: 'report', next: null })
    expect(JSON.stringify(steps.at(-1))).toContain('{{task}}/vet-{{effort}}.md')
  })

  test('keeps a limit and a state that it says itself', () => {
    const own = param.choice(['pass', 'fail', 'later'])
    const { steps, state } = workflow(
      'x',
      [
        step({ id: 'a', title: 'A', limit: 2, next: 'q' }),
        ...gate({ id: 'q', name: 'Q', work: 'a', pass: null, review: dispatch('explore'), fix: 'developer' }),
      ],
      { state: { result: own } },
    )
    expect(steps[0]?.limit).toBe(2)
    expect(state).toEqual({ result: own, report: param.text() })
  })
})

// Each of these would compile if the types inferred less; an editor shows the fault at the same line.
test('what the compiler refuses is refused where it is written', () => {
  const sure = param.choice(['low', 'high'], { default: 'low' })
  const refused = [
    workflow('a target', [
      step({ id: 'a', title: 'A', next: 'b' }),
      // @ts-expect-error -- b leads to bb, which is no step
      step({ id: 'b', title: 'B', next: 'bb' }),
    ]),
    workflow('a target of an outcome', [
      // @ts-expect-error -- a leads to bb, which is no step
      step({ id: 'a', title: 'A', next: { ok: 'b', fail: 'bb' } }),
      step({ id: 'b', title: 'B', next: null }),
    ]),
    // @ts-expect-error -- a leads to b, which is no step
    workflow('after an error', [step({ id: 'a', title: 'A', next: null, onError: 'b' })]),
    // @ts-expect-error -- a leads to b, which is no step
    workflow('after the limit', [step({ id: 'a', title: 'A', next: null, limit: 1, onLimit: 'b' })]),
    // @ts-expect-error -- q-gate leads to b, which is no step
    workflow('the work of a gate', [
      step({ id: 'a', title: 'A', next: 'q' }),
      ...gate({ id: 'q', name: 'Q', work: 'b', pass: 'a', review: dispatch('explore') }),
    ]),
    workflow(
      'a guard',
      [
        // @ts-expect-error -- a uses shure, which neither params nor state declares
        step({ id: 'a', title: 'A', next: null, when: { shure: 'high' } }),
      ],
      { state: { sure } },
    ),
    workflow(
      'a decision beside a guard',
      [
        // @ts-expect-error -- a uses shure, which neither params nor state declares
        step({
          id: 'a',
          title: 'A',
          when: { sure: 'high' },
          decides: [{ when: { shure: 'x' }, outcome: 'ok' }],
        }),
      ],
      { state: { sure } },
    ),
    // @ts-expect-error -- a uses sure, which neither params nor state declares
    workflow('without fields', [step({ id: 'a', title: 'A', next: null, when: { sure: 'high' } })]),
    // @ts-expect-error -- an entry that is no step
    workflow('an entry', [step({ id: 'a', title: 'A', next: null })], { entry: 'b' }),
    // @ts-expect-error -- a field that no workflow has
    workflow('a field', [step({ id: 'a', title: 'A', next: null })], { parms: { sure } }),
    // @ts-expect-error -- a field that no step has
    step({ id: 'a', title: 'A', nxt: null }),
    // @ts-expect-error -- no title
    step({ id: 'a', next: null }),
    // @ts-expect-error -- a decision without an outcome
    step({ id: 'a', title: 'A', decides: [{ when: { sure: 'high' } }] }),
    // @ts-expect-error -- not one of the choices
    param.choice(['low', 'high'], { default: 'hihg' }),
    // @ts-expect-error -- a default of another type
    param.number({ default: '3' }),
    // @ts-expect-error -- a text has no least value
    param.text({ min: 3 }),
  ]
  expect(refused).toHaveLength(16)
})

test('what is sound compiles', () => {
  const inner = workflow('inner', [step({ id: 'a', title: 'A', next: null })])
  const sound = workflow(
    'outer',
    [
      step({ id: 'a', title: 'A', next: 'b', when: { deep: true }, onError: 'b' }),
      step({
        id: 'b',
        title: 'B',
        next: { ok: 'c', again: 'b', skip: null },
        limit: 3,
        onLimit: 'c',
        decides: [{ when: { sure: ['low', 'high'], result: 'pass' }, outcome: 'ok' }, { outcome: 'again' }],
      }),
      step({
        id: 'c',
        title: 'C',
        dispatch: dispatch('explore', { workflow: 'inner', count: 3, join: 'any' }),
      }),
    ],
    {
      entry: 'b',
      params: { deep: param.boolean() },
      state: { sure: param.choice(CONFIDENCE, { default: 'low' }) },
      workflows: { inner },
    },
  )
  expect(sound.steps).toHaveLength(3)
  const names: readonly string[] = ['one', 'two']
  const computed = names.map((id, index) =>
    step({ id: `s-${id}`, title: id, next: names[index + 1] ?? null }),
  )
  expect(
    workflow('computed', [step({ id: 'first', title: 'F', next: 's-one' }), ...computed]).steps,
  ).toHaveLength(3)
})
