import { expect, test } from 'vitest'
import { childSkill, isChild, rootSkill } from './child.ts'
import { effortFinished } from './error.ts'
import { startOn } from './task.ts'

test('the work of a sub-agent has the skill above it and its workflow in its name, at every depth', () => {
  const own = childSkill(childSkill('plan', 'review'), 'look')
  expect([own, rootSkill(own), rootSkill('plan')]).toEqual(['plan/review/look', 'plan', 'plan'])
  expect([isChild({ skill: own }), isChild({ skill: 'plan' })]).toEqual([true, false])
})

test('no command begins the work of a sub-agent by its name', () => {
  expect(startOn('/t', 'plan/review')).toBe('holdfast effort start /t plan')
  expect(effortFinished(3, 'plan/review', '/t').hint).toBe('holdfast step --effort 3')
  expect(effortFinished(3, 'plan', '/t').hint).toBe('holdfast effort start /t plan')
})
