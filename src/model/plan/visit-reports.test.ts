import { describe, expect, test } from 'vitest'
import { advance } from './advance.ts'
import { planOf, step } from './case.contract.ts'
import { NOTHING_RECORDED } from './evidence.ts'
import type { Plan } from './plan.ts'
import { replay } from './visit.ts'

describe('the reports of sub-agents', () => {
  const many = planOf([
    step('look', { produces: ['view'] }),
    step('check', { consumes: ['view'], produces: ['idea'], dispatch: { count: 3, join: 2 } }),
    step('tell', { consumes: ['idea'] }),
  ])
  const reported = (ok: number) => {
    let now = replay(many, ['look', 'check'], NOTHING_RECORDED)
    for (let times = 0; times < ok; times++) {
      const told = advance(many, now, { kind: 'report', step: 'check', outcome: 'ok' })
      if (told.ok) now = told.progress
    }
    return now
  }

  test.each([0, 1, 2])('are carried over to a changed plan, %i of them', (ok) => {
    const before = reported(ok)
    const after = replay(many, ['look', 'check'], NOTHING_RECORDED, before.visits)
    expect(after).toEqual(before)
    expect(after.open).toEqual(ok === 2 ? ['tell'] : [])
  })

  test('end a step that must also record something only with the record', () => {
    const strict: Plan = { ...many, gate: 'produced' }
    const before = reported(2)
    const after = replay(
      strict,
      ['look', 'check'],
      { good: new Set(['view']), stale: new Set() },
      before.visits,
    )
    expect([after.current, after.visits['check']?.children]).toEqual([['check'], { ok: 2, fail: 0 }])
  })
})
