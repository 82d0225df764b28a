import { describe, expect, test } from 'vitest'
import { begin, type Progress } from './advance.ts'
import { step } from './case.contract.ts'
import { NOTHING_RECORDED } from './evidence.ts'
import { end, endAll, following, type Given, go, type Moved, report } from './moves.ts'
import { planOfPhases } from './phase-plan.ts'
import type { Plan, Step } from './plan.ts'
import { inSequence } from './sequence.ts'

const NOTHING: Given = { recorded: NOTHING_RECORDED, proof: {} }
const showing = (proof: Given['proof']): Given => ({ ...NOTHING, proof })

function allowed(moved: Moved): Progress {
  if (!moved.ok) throw new Error(moved.why)
  return moved.progress
}

describe('red, green, refactor', () => {
  const loop = planOfPhases([
    { label: '1', name: 'Red', proof: ['failing'] },
    { label: '2', name: 'Green', proof: ['passing'] },
    { label: '3', name: 'Refactor', next: { ok: [], again: ['1'] } },
  ])
  const plan: Plan = {
    ...loop,
    steps: loop.steps.map((one) =>
      one.id === '3' ? { ...one, next: { ok: [], again: ['1'] } } : { ...one, limit: 2 },
    ),
  }
  const red = allowed(go(plan, begin(plan), '1', NOTHING))

  test('leaves a phase only with its proof', () => {
    expect(go(plan, red, '2', NOTHING)).toMatchObject({ ok: false, owed: { proof: ['failing'] } })
    expect(allowed(go(plan, red, '2', showing({ failing: true }))).current).toEqual(['2'])
  })

  test('goes round by the outcome that leads back, and ends at the limit', () => {
    const both = showing({ failing: true, passing: true })
    const third = allowed(go(plan, allowed(go(plan, red, '2', both)), '3', both))
    const again = allowed(go(plan, third, '1', NOTHING))
    expect(again).toMatchObject({ current: ['1'], visits: { 1: { attempts: 2 }, 3: { outcome: 'again' } } })
    const over = allowed(go(plan, allowed(go(plan, again, '2', both)), '3', both))
    expect(go(plan, over, '1', NOTHING)).toMatchObject({ ok: false })
    expect(allowed(end(plan, over, { step: '3', outcome: 'ok' }, NOTHING)).status).toBe('completed')
  })
})

describe('a failed step that is open again', () => {
  const plan: Plan = {
    notation: 'workflow',
    explicit: true,
    gate: 'visited',
    entry: ['a'],
    steps: inSequence([step('a', { limit: 2 }), step('b')]),
  }
  const failed = allowed(
    end(plan, allowed(go(plan, begin(plan), 'a', NOTHING)), { step: 'a', outcome: 'fail' }, NOTHING),
  )

  test('fails again without being started again, and that is a try', () => {
    const twice = allowed(end(plan, failed, { step: 'a', outcome: 'fail', reason: 'no' }, NOTHING))
    expect(twice).toMatchObject({ status: 'parked', visits: { a: { attempts: 2, failed: 'no' } } })
  })

  test('is not done without being started again', () => {
    expect(end(plan, failed, { step: 'a', outcome: 'ok' }, NOTHING)).toMatchObject({ ok: false })
  })
})

test('a phase that is left for an earlier one by approval has no outcome', () => {
  const plan = planOfPhases([
    { label: '1', name: 'Draft' },
    { label: '2', name: 'Review', proof: ['verdict'] },
    { label: '3', name: 'Publish' },
  ])
  const review = allowed(go(plan, allowed(go(plan, begin(plan), '1', NOTHING)), '2', NOTHING))
  const back = allowed(go(plan, review, '1', NOTHING, true))
  expect(back).toMatchObject({ current: ['1'], visits: { 2: { attempts: 1 } } })
  expect(back.visits['2']?.outcome).toBeUndefined()
  expect(allowed(go(plan, back, '2', NOTHING)).current).toEqual(['2'])
})

test('a phase at its limit is passed to the one that it names, without the proof of success', () => {
  const plan = planOfPhases([
    { label: '1', name: 'Draft', limit: 1, onLimit: '4' },
    { label: '2', name: 'Review', proof: ['verdict'], next: { again: '1' } },
    { label: '3', name: 'Publish' },
    { label: '4', name: 'Ask' },
  ])
  const draft = allowed(go(plan, begin(plan), '1', NOTHING))
  const review = allowed(go(plan, draft, '2', NOTHING))
  expect(go(plan, review, '3', NOTHING)).toMatchObject({ ok: false })
  expect(allowed(go(plan, review, '4', NOTHING))).toMatchObject({
    current: ['4'],
    visits: { '2': { outcome: 'again' } },
  })
})

describe('a step', () => {
  const runbook: Plan = {
    notation: 'runbook',
    explicit: true,
    gate: 'visited',
    entry: ['a'],
    steps: inSequence([step('a'), step('b', { optional: true }), step('c')]),
  }

  const started = allowed(go(runbook, begin(runbook), 'a', NOTHING))

  test.each(['ok', 'fail'])('that nobody entered does not end with the outcome %s', (outcome) => {
    expect(end(runbook, begin(runbook), { step: 'a', outcome }, NOTHING)).toMatchObject({
      ok: false,
      why: 'Step "a" has not started.',
    })
    expect(end(runbook, begin(runbook), { step: 'c', outcome }, NOTHING)).toMatchObject({
      ok: false,
      why: 'Step "c" is not next; next is "a".',
    })
  })

  test('that was entered ends', () => {
    expect(allowed(end(runbook, started, { step: 'a', outcome: 'ok' }, NOTHING)).open).toEqual(['b', 'c'])
  })

  test('may be skipped only if it is optional', () => {
    expect(end(runbook, begin(runbook), { step: 'a', outcome: 'skip' }, NOTHING)).toMatchObject({
      ok: false,
      why: 'Step "a" is required.',
    })
    const first = allowed(end(runbook, started, { step: 'a', outcome: 'ok' }, NOTHING))
    expect(allowed(end(runbook, first, { step: 'b', outcome: 'skip' }, NOTHING)).open).toEqual(['c'])
  })

  test('follows by itself only where nobody must choose', () => {
    expect(following(runbook, begin(runbook))?.id).toBe('a')
    const first = allowed(end(runbook, started, { step: 'a', outcome: 'ok' }, NOTHING))
    expect(following(runbook, first)).toBeUndefined()
  })

  test('in a file must be read before it is done', () => {
    const files: Plan = { ...runbook, notation: 'steps' }
    expect(end(files, begin(files), { step: 'a', outcome: 'ok' }, NOTHING)).toMatchObject({
      ok: false,
      why: 'Step "a" was not read yet.',
    })
    const read = allowed(go(files, begin(files), 'a', NOTHING))
    expect(allowed(end(files, read, { step: 'a', outcome: 'ok' }, NOTHING)).open).toEqual(['b', 'c'])
  })

  test('given to several sub-agents waits for as many as its join asks for', () => {
    const many: Plan = {
      ...runbook,
      steps: inSequence([step('a', { dispatch: { count: 3, join: 2 } }), step('b')]),
    }
    const begun = allowed(go(many, begin(many), 'a', NOTHING))
    expect(end(many, begun, { step: 'a', outcome: 'ok' }, NOTHING)).toMatchObject({ ok: false })
    const first = allowed(report(many, begun, { step: 'a', outcome: 'ok' }, NOTHING))
    expect(end(many, first, { step: 'a', outcome: 'ok' }, NOTHING)).toMatchObject({
      why: 'Step "a" waits for 1 more of its sub-agents.',
    })
    expect(allowed(report(many, first, { step: 'a', outcome: 'ok' }, NOTHING)).open).toEqual(['b'])
  })

  test('given to several sub-agents stays until its proof is there too', () => {
    const many: Plan = {
      ...runbook,
      steps: inSequence([step('a', { dispatch: { count: 1, join: 1 }, proof: ['seen'] }), step('b')]),
    }
    const begun = allowed(go(many, begin(many), 'a', NOTHING))
    const done = allowed(report(many, begun, { step: 'a', outcome: 'ok' }, NOTHING))
    expect(done.current).toEqual(['a'])
    const given = { ...NOTHING, proof: { seen: 'yes' } }
    expect(allowed(end(many, done, { step: 'a', outcome: 'ok' }, given)).open).toEqual(['b'])
    expect(report(many, done, { step: 'x', outcome: 'ok' }, NOTHING).ok).toBe(false)
  })
})

describe('a step that runs something', () => {
  const runs = { kind: 'prompt', prompt: 'Do it.' } as const
  const only = (more: Partial<Step>): Plan => ({
    notation: 'workflow',
    explicit: true,
    gate: 'produced',
    entry: ['a'],
    steps: [step('a', { runs, next: { ok: [] }, ...more })],
  })

  test('is refused as not started, whatever it owes', () => {
    const plan = only({ dispatch: { count: 2, join: 2 } })
    expect(end(plan, begin(plan), { step: 'a', outcome: 'ok' }, NOTHING)).toEqual({
      ok: false,
      why: 'Step "a" has not started.',
      missing: [],
    })
  })

  test('with a condition does not end because its sub-agents succeed', () => {
    const plan = only({ dispatch: { count: 1, join: 1 }, verify: { kind: 'shown', condition: 'it works' } })
    const begun = allowed(go(plan, begin(plan), 'a', NOTHING))
    const told = allowed(report(plan, begun, { step: 'a', outcome: 'ok' }, NOTHING))
    expect(told.current).toEqual(['a'])
  })

  test('never ends by itself when the effort is finished', () => {
    const plan = only({})
    const begun = allowed(go(plan, begin(plan), 'a', NOTHING))
    expect(endAll(plan, begun, NOTHING).progress).toBe(begun)
  })
})
