import { expect, test } from 'vitest'
import { artifactName, isTracked, startsEffort } from './effort.ts'
import { planOf, step } from './plan/case.contract.ts'

// INV_EFFORT_ORDINAL_ARTIFACTS
test.each([
  [{ ordinal: 1, skill: 'brainstorm' }, undefined, '1_BRAINSTORM.md'],
  [{ ordinal: 2, skill: 'code-review' }, 'log', '2_CODE_REVIEW_LOG.md'],
  [{ ordinal: 3, skill: 'plugin:name' }, 'plan', '3_PLUGIN_NAME_PLAN.md'],
  [{ ordinal: 4, skill: '日本' }, undefined, '4_日本.md'],
  [{ ordinal: 5, skill: 'prüfen-ж' }, 'log', '5_PRÜFEN_Ж_LOG.md'],
])('an artifact of %o of type %s is named %s', (effort, type, name) => {
  expect(artifactName({ metadata: {}, ...effort }, type)).toBe(name)
})

test('an artifact is named after the type of its task, or else after its skill', () => {
  const effort = { ordinal: 2, skill: 'implement' }
  expect(artifactName({ ...effort, metadata: { taskType: 'Implementation plan' } }, 'log')).toBe(
    '2_IMPLEMENTATION_PLAN_LOG.md',
  )
  for (const taskType of ['', '../..', 7, null])
    expect(artifactName({ ...effort, metadata: { taskType } })).toBe('2_IMPLEMENT.md')
})

test('a call becomes an effort by an explicit plan, todos or a heartbeat, and not by a plan that was only guessed', () => {
  const asks = { plan: undefined, requiredTodos: [] }
  const steps = [step('1', { title: 'Gather' }), step('2', { title: 'Write' })]
  const guessed = { ...asks, plan: planOf(steps, { notation: 'series', explicit: false }) }
  expect(startsEffort(asks)).toBe(false)
  expect(startsEffort({ ...asks, plan: planOf(steps) })).toBe(true)
  expect(startsEffort(guessed)).toBe(false)
  expect(isTracked(guessed)).toBe(true)
  // Step files are the plan itself, whatever orders them.
  expect(startsEffort({ ...asks, plan: planOf(steps, { explicit: false }) })).toBe(true)
  for (const of of [asks, guessed]) {
    expect(startsEffort({ ...of, heartbeat: 3 })).toBe(true)
    expect(startsEffort({ ...of, requiredTodos: ['Ship'] })).toBe(true)
  }
  // The titles of guessed phases are todos that nobody asked for.
  expect(startsEffort({ ...guessed, requiredTodos: ['Gather', 'Write'] })).toBe(false)
})
