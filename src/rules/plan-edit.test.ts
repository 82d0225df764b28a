import { expect, test } from 'vitest'
import { event, facts } from './case.contract.ts'
import { planEdit } from './plan-edit.ts'

test('a session whose plan was not edited is told nothing', () => {
  expect(planEdit.judge(event('prompt'), facts())).toBeUndefined()
})

test('a session whose plan was edited is told once, and so is its user', () => {
  const planNews = { effort: 7, line: 'The plan of flow was edited.' }
  expect(planEdit.judge(event('prompt'), facts({ planNews }))).toEqual({
    contexts: [planNews.line],
    notice: planNews.line,
    changes: [{ kind: 'plan.told', effort: 7 }],
  })
})
