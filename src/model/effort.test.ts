import { expect, test } from 'vitest'
import { artifactName } from './effort.ts'

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
