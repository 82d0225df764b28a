import { describe, expect, test } from 'vitest'
import { effort, FLOW, reading, skill, span } from './case.contract.ts'
import { needsNoMore, takeCharge } from './spans.ts'

const opened = (more: object = {}) => ({
  kind: 'span.opened',
  skill: 'flow',
  parent: undefined,
  step: undefined,
  args: '',
  mode: 'full',
  effort: { kind: 'resume', id: 7 },
  ...more,
})
const other = (id: string, more: object = {}) => span(id, { skill: 'other', effort_id: null, ...more })
const done = skill({ progress: reading(FLOW, ['look', 'think', 'do']) })

describe('a skill takes charge', () => {
  test.each<[string, Parameters<typeof takeCharge>, readonly object[]]>([
    ['by a span of its own', [[], skill()], [opened()]],
    [
      'with how it was called',
      [[], skill(), { args: 'a b', quick: true }],
      [opened({ args: 'a b', mode: 'quick' })],
    ],
    ['with the step that it began with', [[], skill(), { step: 'look' }], [opened({ step: 'look' })]],
    [
      'with a new effort where none waits',
      [[], skill({ effort: undefined })],
      [opened({ effort: { kind: 'start', finishes: undefined } })],
    ],
    [
      'without an effort where it has no plan',
      [[], skill({ plan: undefined, effort: undefined })],
      [opened({ effort: { kind: 'none' } })],
    ],
    ['without any change where it has it', [[span('a')], skill()], []],
    ['by suspending who had it', [[span('b'), other('a')], skill()], [{ kind: 'span.suspended', span: 'a' }]],
    [
      'by going on where it was',
      [[other('b'), span('a', { status: 'suspended' })], skill()],
      [
        { kind: 'span.suspended', span: 'b' },
        { kind: 'span.resumed', span: 'a' },
      ],
    ],
    [
      'below who called it, which is who had it',
      [[other('c', { status: 'suspended' }), other('b'), other('a', { status: 'suspended' })], skill()],
      [{ kind: 'span.suspended', span: 'b' }, opened({ parent: 'b' })],
    ],
    [
      'below the newest where nobody had it',
      [[other('b', { status: 'suspended' }), other('a', { status: 'suspended' })], skill()],
      [opened({ parent: 'b' })],
    ],
    [
      'anew, and finishes what was carried out',
      [[span('a')], done, { anew: { finishes: true } }],
      [{ kind: 'span.completed', span: 'a' }, opened({ effort: { kind: 'start', finishes: 7 } })],
    ],
    ['no more than it has where its files are only read again', [[span('a')], done], []],
    [
      'anew beside an effort that stays open',
      [[span('a')], skill(), { anew: { finishes: false } }],
      [{ kind: 'span.completed', span: 'a' }, opened({ effort: { kind: 'start', finishes: undefined } })],
    ],
    [
      'with another effort than its span had',
      [[span('a')], skill({ effort: effort({ id: 9 }) })],
      [{ kind: 'span.completed', span: 'a' }, opened({ effort: { kind: 'resume', id: 9 } })],
    ],
    [
      'anew where it had no effort to keep its plan in',
      [[span('a', { effort_id: null })], skill({ effort: undefined })],
      [{ kind: 'span.completed', span: 'a' }, opened({ effort: { kind: 'start', finishes: undefined } })],
    ],
    [
      'as before where it has no plan and needs no effort',
      [[span('a', { effort_id: null })], skill({ plan: undefined, effort: undefined })],
      [],
    ],
    [
      'with an effort where it asks for todos alone',
      [[], skill({ plan: undefined, effort: undefined, requiredTodos: ['Ship'] })],
      [opened({ effort: { kind: 'start', finishes: undefined } })],
    ],
    [
      'with an effort where it asks for a heartbeat alone',
      [[], skill({ plan: undefined, effort: undefined, heartbeat: 10 })],
      [opened({ effort: { kind: 'start', finishes: undefined } })],
    ],
    [
      'anew without finishing what is not there',
      [[], skill({ effort: undefined, progress: done.progress }), { anew: { finishes: true } }],
      [opened({ effort: { kind: 'start', finishes: undefined } })],
    ],
  ])('%s', (_, [spans, of, entry], changes) => {
    expect(takeCharge(spans, of, entry)).toEqual(changes)
  })

  test('and never two at once: after the changes one span is active', () => {
    for (const status of ['active', 'suspended'] as const)
      for (const entry of [{}, { anew: { finishes: true } }])
        for (const of of [skill(), done, skill({ plan: undefined, effort: undefined })]) {
          const spans = [other('c'), span('b', { status }), other('a', { status: 'suspended' })]
          const active = new Set(spans.filter((one) => one.status === 'active').map((one) => one.span_id))
          for (const change of takeCharge(spans, of, entry)) {
            if (change.kind === 'span.suspended' || change.kind === 'span.completed')
              active.delete(change.span)
            if (change.kind === 'span.resumed') active.add(change.span)
            if (change.kind === 'span.opened') active.add('new')
          }
          expect(active.size).toBe(1)
        }
  })
})

test('what is finished and what is new are two efforts', () => {
  expect(takeCharge([], { ...done, effort: effort({ id: 9 }) }, { anew: { finishes: true } })).toMatchObject([
    { effort: { kind: 'start', finishes: 9 } },
  ])
})

test('work that is carried out needs no more, unless the result of its run is missing', () => {
  expect([done, { ...done, lacksResult: true }].map(needsNoMore)).toEqual([true, false])
})
