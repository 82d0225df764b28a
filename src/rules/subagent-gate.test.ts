import { expect, test } from 'vitest'
import { event, facts, reading, FLOW, skill, span, touch } from './case.contract.ts'
import type { Facts, Given } from './facts.ts'
import { subagentGate } from './subagent-gate.ts'
import { LEAVE_IT } from './told/words.ts'

const NOTHING: Given = { skills: [], steps: [] }
const ask = (more: Partial<Facts>) =>
  subagentGate.judge(
    { ...event('before'), subagent: { id: 'a1' } },
    facts({ level: 'strict', spans: [span('a')], touched: [touch('do')], given: NOTHING, ...more }),
  )

test('a sub-agent of a strict project is refused a step that is not due, and told to leave it', () => {
  expect(ask({})?.block).toMatchObject({
    skill: 'flow',
    step: 'do',
    reason: expect.stringContaining(LEAVE_IT),
  })
  expect(ask({ touched: [], delegated: [touch('do')] })?.block?.step).toBe('do')
})

test.each<[string, Partial<Facts>]>([
  ['what it was given', { given: { skills: [], steps: [{ skill: 'flow', step: 'do' }] } }],
  ['the steps of a skill that it carries out itself', { given: { skills: ['flow'], steps: [] } }],
  ['a step that is due', { touched: [touch('do', skill({ progress: reading(FLOW, ['look', 'think']) }))] }],
  ['a step of a plan that cannot refuse', { touched: [touch('do', skill({ enforceable: false }))] }],
  ['any step at another level', { level: 'enforce' }],
])('it may read %s', (_, more) => {
  expect(ask(more)).toBeUndefined()
})

test('a step that another sub-agent of the skill was given is not its own', () => {
  expect(ask({ given: { skills: [], steps: [{ skill: 'flow', step: 'look' }] } })?.block?.step).toBe('do')
})
