import { expect, test } from 'vitest'
import { accepts, agentAmong, agentIn } from './agent.ts'

test('an agent accepts the skills that it claims, and every skill without claims', () => {
  expect(accepts({ claims: [] }, 'ship')).toBe(true)
  expect(accepts({ claims: ['test', 'ship'] }, 'ship')).toBe(true)
  expect(accepts({ claims: ['test'] }, 'ship')).toBe(false)
})

test.each([
  [{}, undefined],
  [{ HOLDFAST_AGENT: '' }, undefined],
  [{ FLEET_PANE: 'work:fox' }, 'work:fox'],
  [{ HOLDFAST_AGENT: ' owl ', FLEET_PANE: 'fox' }, 'owl'],
  [{ HOLDFAST_AGENT: '  ', FLEET_PANE: 'fox' }, 'fox'],
  [{ HOLDFAST_AGENT: 'a\nb', FLEET_PANE: 'fox' }, 'fox'],
  [{ HOLDFAST_AGENT: 'x'.repeat(201) }, undefined],
])('the agent in %j is %s', (env, agent) => {
  expect(agentIn(env)).toBe(agent)
})

test('a variable that a client did not resolve names no agent', () => {
  expect(agentAmong(['${HOLDFAST_AGENT}', 'fox'])).toBe('fox')
  expect(agentAmong(['$HOLDFAST_AGENT', undefined])).toBe(undefined)
})
