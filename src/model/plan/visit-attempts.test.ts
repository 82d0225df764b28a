import { expect, test } from 'vitest'
import { advance, begin, type Move, type Progress } from './advance.ts'
import { planOf, step } from './case.contract.ts'
import { NOTHING_RECORDED } from './evidence.ts'
import type { Plan } from './plan.ts'
import { replay } from './visit.ts'

const again: Move = { kind: 'leave', step: 'review', outcome: 'again' }
const steps = [
  step('draft', { consumes: ['user-request'], produces: ['text'], limit: 2 }),
  step('review', { consumes: ['text'], produces: ['verdict'], next: { again: ['draft'] } }),
  step('ship', { consumes: ['verdict'], limit: 3 }),
]
const LOOP = planOf(steps)

const after = (plan: Plan, from: Progress, ...moves: readonly Move[]): Progress =>
  moves.reduce((progress, move) => {
    const next = advance(plan, progress, move)
    if (!next.ok) throw new Error(next.why)
    return next.progress
  }, from)

const round: readonly Move[] = [
  { kind: 'enter', step: 'draft' },
  { kind: 'leave', step: 'draft', outcome: 'ok' },
  { kind: 'enter', step: 'review' },
]

test('a changed file gives a looped step no new attempts, so the plan is blocked where it would have been', () => {
  const second = after(LOOP, begin(LOOP), ...round, again, ...round)
  const carried = replay(
    planOf(steps, { hold: 'stop' }),
    ['draft', 'review'],
    NOTHING_RECORDED,
    second.visits,
  )
  expect(carried).toEqual(second)
  expect(after(LOOP, carried, again)).toMatchObject({ status: 'parked' })
})

test('a step that the changed plan does not reach yet keeps its attempts, if it has a limit', () => {
  const visits = { draft: { attempts: 1 }, review: { attempts: 2 }, ship: { attempts: 3 } }
  expect(replay(LOOP, ['draft'], NOTHING_RECORDED, visits).visits).toEqual({
    draft: { attempts: 1 },
    ship: { attempts: 3 },
  })
})
