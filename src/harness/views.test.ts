import { expect, test } from 'vitest'
import type { Standing } from '../engine/effort/mover.ts'
import { planOf, step } from '../model/plan/case.contract.ts'
import { wantedIn } from './views.ts'

const decides = [
  { when: { work: 'shared' }, outcome: 'ok' },
  { when: { work: 'alone' }, outcome: 'skip' },
] as const
const plan = planOf(
  [
    step('design', { decides, next: { ok: ['critique'], skip: ['end'] } }),
    step('critique', { decides, next: { ok: ['end'], skip: ['end'] } }),
    step('end', { next: { ok: [] } }),
  ],
  { state: { work: { type: 'choice', choices: ['shared', 'alone'] } } },
)
const at = (current: string) => ({ current: [current], steps: [] }) as unknown as Standing
const choose = (from: string) => ({ from, outcome: from === 'critique' ? 'skip' : 'ok' })

test('a value that several steps decide by has at each of them what its own outcome needs', () => {
  expect(wantedIn({ plan, choose }, at('design'))).toEqual({ work: 'shared' })
  expect(wantedIn({ plan, choose }, at('critique'))).toEqual({ work: 'alone' })
})
