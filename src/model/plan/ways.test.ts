import { describe, expect, test } from 'vitest'
import { advance, begin, type Move, type Progress } from './advance.ts'
import { planOf, step } from './case.contract.ts'
import { decidedOutcome, decidingNames, ownState } from './decided.ts'
import { NOTHING_RECORDED } from './evidence.ts'
import type { Plan, Step } from './plan.ts'
import { withDefaults } from './plan-for.ts'
import { waysOn } from './ways.ts'

const printed = (steps: readonly Step[], more: Partial<Plan> = {}): Plan => ({
  ...planOf(steps),
  notation: 'workflow',
  format: 'xml',
  entry: [steps[0]?.id ?? ''],
  ...more,
})

const after = (plan: Plan, moves: readonly Move[]): Progress =>
  moves.reduce((progress, move) => {
    const moved = advance(plan, progress, move)
    if (!moved.ok) throw new Error(moved.why)
    return moved.progress
  }, begin(plan))

const waysIn = (
  plan: Plan,
  id: string,
  { progress, values = {} }: { progress?: Progress; values?: object } = {},
) => {
  const now = progress ?? after(plan, [{ kind: 'enter', step: id }])
  const own = plan.steps.find((one) => one.id === id)
  const work = { plan, progress: now, recorded: NOTHING_RECORDED, values: withDefaults(plan, { ...values }) }
  return own === undefined ? [] : waysOn(7, work, own)
}

describe('the ways on from a step', () => {
  test('are its outcomes, success first and failure last, each with the visit that it ends', () => {
    const plan = printed([
      step('a', { next: { fail: ['a'], again: ['a'], ok: ['b'], skip: ['b'] }, limit: 3 }),
      step('b', { next: { ok: [] }, onError: 'a' }),
    ])
    expect(waysIn(plan, 'a')).toEqual([
      { outcome: 'ok', command: 'holdfast step done a --effort 7 --visit 1', to: 'b' },
      { outcome: 'again', command: 'holdfast step done a --effort 7 --visit 1 --outcome again', to: 'a' },
      { outcome: 'skip', command: "holdfast step skip a --effort 7 --visit 1 --reason '____'", to: 'b' },
      { outcome: 'fail', command: "holdfast step fail a --effort 7 --visit 1 --reason '____'", to: 'a' },
    ])
    const second = after(plan, [
      { kind: 'enter', step: 'a' },
      { kind: 'leave', step: 'a', outcome: 'ok' },
      { kind: 'enter', step: 'b' },
    ])
    expect(waysIn(plan, 'b', { progress: second })).toEqual([
      { outcome: 'ok', command: 'holdfast step done b --effort 7 --visit 1', to: null },
      { outcome: 'fail', command: "holdfast step fail b --effort 7 --visit 1 --reason '____'", to: 'a' },
    ])
  })

  test('say where an outcome leads at a limit, and where it would lead once the plan parks', () => {
    const plan = printed([
      step('a', { next: { ok: [], again: ['a'] }, limit: 1, onLimit: 'b' }),
      step('b', { next: { ok: [], again: ['b'] }, limit: 1 }),
    ])
    expect(waysIn(plan, 'a').map(({ to }) => to)).toEqual([null, 'b'])
    const parks = after(plan, [
      { kind: 'enter', step: 'a' },
      { kind: 'leave', step: 'a', outcome: 'again' },
      { kind: 'enter', step: 'b' },
    ])
    expect(waysIn(plan, 'b', { progress: parks }).map(({ to }) => to)).toEqual([null, 'b'])
  })

  test('are none while sub-agents are out, before the step has begun, and after it', () => {
    const plan = printed([step('a', { next: { ok: [] }, dispatch: { count: 2, join: 2 } })])
    expect(waysIn(plan, 'a')).toEqual([])
    expect(waysIn(plan, 'a', { progress: begin(plan) })).toEqual([])
  })

  test('show what the step owes', () => {
    const plan = printed([step('a', { next: { ok: [] }, proof: ['seen'] })])
    expect(waysIn(plan, 'a')[0]?.command).toBe(
      `holdfast step done a --effort 7 --proof '{"seen":"____"}' --visit 1`,
    )
  })

  test('of a step with a command are one: printing runs it', () => {
    const plan = printed([step('a', { next: { ok: [] }, run: 'true' })])
    expect(waysIn(plan, 'a')).toEqual([{ outcome: 'ok', command: 'holdfast step --effort 7', to: null }])
  })

  test('that end the workflow ask for the state that it must have', () => {
    const state = { result: { type: 'choice', choices: ['pass', 'fail'], required: true } } as const
    const plan = printed([step('a', { next: { ok: [], later: [] } })], { state })
    expect(waysIn(plan, 'a').map(({ command }) => command)).toEqual([
      "holdfast step done a --effort 7 --visit 1 --set 'result=pass|fail'",
      "holdfast step done a --effort 7 --visit 1 --outcome later --set 'result=pass|fail'",
    ])
    expect(waysIn(plan, 'a', { values: { result: 'pass' } })[0]?.command).not.toContain('--set')
  })
})

describe('a step whose outcome values decide', () => {
  const decides = [
    { when: { confidence: ['high', 'certain'], mode: 'full' }, outcome: 'ok' },
    { when: { confidence: 'high' }, outcome: 'short' },
    { outcome: 'again' },
  ]
  const state = {
    confidence: { type: 'choice', choices: ['low', 'high', 'certain'] },
    mode: { type: 'text' },
  } as const
  const next = { ok: [], short: [], again: ['a'] }

  test.each([
    [{ confidence: 'high', mode: 'full' }, 'ok'],
    [{ confidence: 'certain', mode: 'full' }, 'ok'],
    [{ confidence: 'high', mode: 'quick' }, 'short'],
    [{ confidence: 'low', mode: 'full' }, 'again'],
    [{}, 'again'],
  ])('%j decides %s', (values, expected) => {
    expect(decidedOutcome({ decides }, values)).toBe(expected)
  })

  test('decides nothing where none fits', () => {
    expect(decidedOutcome({ decides: decides.slice(0, 2) }, { confidence: 'low' })).toBeUndefined()
    expect(decidedOutcome({}, {})).toBeUndefined()
    expect(decidingNames({})).toEqual([])
  })

  test('has one way, which asks for the values that its caller gives', () => {
    const params = { mode: { type: 'text' } } as const
    const plan = printed([step('a', { next, decides, limit: 3 })], {
      params,
      state: { confidence: state.confidence },
    })
    expect(waysIn(plan, 'a')).toEqual([
      {
        outcome: 'again',
        command: "holdfast step done a --effort 7 --visit 1 --set 'confidence=low|high|certain'",
        to: 'a',
      },
    ])
  })

  test('by a review asks for nothing, and says where that leads', () => {
    const plan = printed(
      [
        step('check', {
          next: { ok: ['gate'] },
          dispatch: { count: 1, join: 1, returns: ['result'] },
          review: { name: 'R', gate: 'gate' },
        }),
        step('gate', {
          next: { pass: [], fail: ['check'] },
          decides: [{ when: { result: 'pass' }, outcome: 'pass' }, { outcome: 'fail' }],
        }),
      ],
      { state: { result: { type: 'choice', choices: ['pass', 'fail'] }, note: { type: 'text' } } },
    )
    expect(Object.keys(ownState(plan))).toEqual(['note'])
    const progress = { ...begin(plan), current: ['gate'], open: [], visits: { gate: { attempts: 2 } } }
    const command = 'holdfast step done gate --effort 7 --visit 2'
    expect(waysIn(plan, 'gate', { progress, values: { result: 'pass' } })).toEqual([
      { outcome: 'pass', command, to: null },
    ])
    expect(waysIn(plan, 'gate', { progress, values: { result: 'fail' } })).toEqual([
      { outcome: 'fail', command, to: 'check' },
    ])
  })
})
