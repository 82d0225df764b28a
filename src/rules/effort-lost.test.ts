import { expect, test } from 'vitest'
import { effort, event, facts, SESSION, span } from './case.contract.ts'
import { effortLostRule } from './effort-lost.ts'

test('a session that lost nothing is told nothing', () => {
  expect(effortLostRule.judge(event('started'), facts({ spans: [span('a')] }))).toEqual({
    contexts: [],
    changes: [],
  })
})

test('a session whose effort was ended elsewhere learns how to begin it again', () => {
  const lost = [{ effort: effort({ lifecycle: 'finished' }), by: undefined, command: 'holdfast x' }]
  expect(effortLostRule.judge(event('started'), facts({ lost }))?.contexts).toEqual([
    'This session no longer has effort 7 of flow: it was ended elsewhere, and its plan no longer applies. To begin it again, if the user asks: holdfast x',
  ])
})

test('a session that lost an effort learns who has it and how to get it back, and its span ends', () => {
  const lost = [{ effort: effort(), by: 'agent fox', command: 'holdfast x' }]
  const spans = [span('b', { effort_id: 8 }), span('a', { status: 'suspended' })]
  const line =
    'This session no longer has effort 7 of flow: agent fox has it. To get it back, if the user asks: holdfast x'
  expect(effortLostRule.judge(event('started'), facts({ lost, spans }))).toEqual({
    contexts: [line],
    notice: line,
    changes: [{ kind: 'span.completed', span: 'a' }],
  })
})

test('a session whose agent is at work elsewhere learns who it is and how to take over', () => {
  const namesake = { agent: 'fox', effort: effort(), by: 'session 3 (x)', command: 'holdfast x' }
  const line =
    'Agent fox works on effort 7 of flow in session 3 (x), so this session works without that name.'
  const judged = (more: object) =>
    effortLostRule.judge(event('started'), facts({ namesake: { ...namesake, ...more } }))
  expect(judged({})?.contexts).toEqual([`${line} To take it over, if the user asks: holdfast x`])
  expect(judged({ command: undefined })).toEqual({ contexts: [line], notice: line, changes: [] })
})

test('a session hears at its next event which effort it lost while it served another one', () => {
  const lost = [{ effort: effort(), by: 'session 3 (a terminal)', command: 'holdfast x' }]
  const session = { ...SESSION, lost_efforts: [7] }
  expect(effortLostRule.judge(event('started'), facts({ lost, session }))?.changes).toEqual([
    { kind: 'losses.told' },
  ])
})
