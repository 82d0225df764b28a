import { expect, test } from 'vitest'
import { declaredStage, stageOf } from './stage.ts'

test.each([
  ['plan', undefined, 'plan'],
  ['tools:critique-specs', null, 'critique-specs'],
  ['plan', 'design', 'design'],
  ['build', 'making', 'making'],
  ['build', null, undefined],
  ['planner', undefined, undefined],
])('the skill %s that declares %s stands for %s', (skill, declared, stage) => {
  expect(stageOf(skill, declared)).toBe(stage)
})

test.each([
  [' making ', 'making'],
  ['', undefined],
  ['a\nb', undefined],
  ['x'.repeat(101), undefined],
  [3, undefined],
])('%j is declared as %j', (value, stage) => {
  expect(declaredStage(value)).toBe(stage)
})
