import { describe, expect, test } from 'vitest'
import { during, effort, event, facts, skill, span } from './case.contract.ts'
import type { Facts } from './facts.ts'
import { sessionBegin } from './session-begin.ts'

const ask = (more: Partial<Facts>, source: 'startup' | 'compact' | 'resume' = 'startup') =>
  sessionBegin.judge(event('started', { source }), facts(more))?.changes
const work = { ...skill(), effort: effort() }

describe('the skill of a resumed session', () => {
  test('is in charge again', () => {
    expect(ask({ work })).toMatchObject([
      { kind: 'span.opened', skill: 'flow', effort: { kind: 'resume', id: 7 } },
    ])
    const asksForTodos = { ...work, plan: undefined, requiredTodos: ['Ship'] }
    expect(ask({ work: asksForTodos })).toMatchObject([{ kind: 'span.opened', effort: { kind: 'resume' } }])
  })

  test('stays as it is where somebody is in charge', () => {
    expect(ask({ work, spans: [span('a')] })).toEqual([])
    const called = [span('b', { skill: 'plain', effort_id: null }), span('a', { status: 'suspended' })]
    expect(ask({ work, spans: called }, 'compact')).toEqual([])
  })

  test('goes on where it was suspended and nobody is in charge', () => {
    const spans = [span('a', { status: 'suspended' })]
    expect(ask({ work, spans })).toEqual([{ kind: 'span.resumed', span: 'a' }])
  })

  test('is not in charge without a plan', () => {
    expect(ask({ work: { ...work, plan: undefined } })).toEqual([])
  })
})

test('calls that were under way are recorded once as unknown, but go on through a compaction', () => {
  const calls = [{ id: 'a', tool: 'Bash', what: 'npm publish', at: '10:00' }]
  expect(ask(during(calls), 'resume')).toEqual([{ kind: 'calls.unknown', calls }])
  expect(ask(during(calls), 'compact')).toEqual([])
})
