import { describe, expect, test } from 'vitest'
import { begin, type Progress } from './advance.ts'
import { step } from './case.contract.ts'
import { NOTHING_RECORDED } from './evidence.ts'
import { end, type Given, go, type Moved } from './moves.ts'
import { planOfPhases } from './phase-plan.ts'
import type { Plan } from './plan.ts'
import { inSequence } from './sequence.ts'
import { isCarriedOut } from './visit.ts'

const NOTHING: Given = { recorded: NOTHING_RECORDED, proof: {} }

function allowed(moved: Moved): Progress {
  if (!moved.ok) throw new Error(moved.why)
  return moved.progress
}

describe('a plan is carried out', () => {
  const is = (plan: Plan, progress: Progress) => isCarriedOut(plan, progress, NOTHING_RECORDED)
  const files: Plan = {
    notation: 'steps',
    explicit: true,
    gate: 'visited',
    entry: [],
    steps: [step('a', { produces: ['x'] }), step('b', { consumes: ['x'] })],
  }
  const done = allowed(go(files, begin(files), 'a', NOTHING))

  test('by step files that were all read, and not before', () => {
    expect(is(files, begin(files))).toBe(false)
    expect(is(files, done)).toBe(false)
    expect(is(files, allowed(go(files, done, 'b', NOTHING)))).toBe(true)
  })

  test('by its last phase, unless that owes proof', () => {
    const phases = (proof: readonly string[]) =>
      planOfPhases([
        { label: '1', name: 'A' },
        { label: '2', name: 'B', proof },
      ])
    for (const proof of [[], ['shown']]) {
      const plan = phases(proof)
      const first = allowed(go(plan, begin(plan), '1', NOTHING))
      expect(is(plan, first)).toBe(false)
      expect(is(plan, allowed(go(plan, first, '2', NOTHING)))).toBe(proof.length === 0)
    }
  })

  test('by reports only where a step starts by itself', () => {
    const plan: Plan = {
      ...files,
      notation: 'runbook',
      entry: ['a'],
      steps: inSequence([step('a'), step('b')]),
    }
    const begun = allowed(go(plan, begin(plan), 'a', NOTHING))
    const first = allowed(end(plan, begun, { step: 'a', outcome: 'ok' }, NOTHING))
    const last = allowed(go(plan, first, 'b', NOTHING))
    expect(is(plan, last)).toBe(false)
    expect(is(plan, allowed(end(plan, last, { step: 'b', outcome: 'ok' }, NOTHING)))).toBe(true)
  })

  test('by nothing where no step was done', () => {
    const optional = { ...files, steps: [step('a', { optional: true })] }
    expect(is(optional, { ...begin(optional), status: 'completed' })).toBe(false)
  })
})
