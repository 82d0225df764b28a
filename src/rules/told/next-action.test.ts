import { expect, test } from 'vitest'
import { NOTHING_RECORDED } from '../../model/plan/evidence.ts'
import { planOf, step } from '../../model/plan/case.contract.ts'
import { effort, FLOW, reading } from '../case.contract.ts'
import { nextAction } from './next-action.ts'

const PANEL = planOf([step('judge', { produces: ['verdict'], dispatch: { count: 2, join: 2 } })])

test.each([
  ['a file to read', FLOW, /^Next: read /],
  ['a step for sub-agents', PANEL, /^Next: do step "judge": give it to 2 sub-agents/],
])('a refusal names %s, which is no command to run', (_, plan, expected) => {
  const work = { effort: effort(), plan, progress: reading(plan, []), recorded: NOTHING_RECORDED }
  expect(nextAction(work)).toMatch(expected)
})
