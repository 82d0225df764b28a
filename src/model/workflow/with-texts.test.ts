import { expect, test } from 'vitest'
import { planOf, step } from '../plan/case.contract.ts'
import { withTexts } from './texts.ts'

const naming = (id: string, block: string, name: unknown) =>
  step(id, { actions: ['Do it.', { block, name }] })

test('a plan and each of its workflows get the texts that they name themselves', () => {
  const below = planOf([naming('c', 'resource', 'format'), naming('d', 'banner', 'tone')])
  const plan = planOf([naming('a', 'convention', 'tone'), naming('b', 'convention', '../../etc')], {
    workflows: { review: below },
  })
  const texts = { 'convention tone': 'T', 'resource format': 'F', 'convention other': 'O' }
  expect(withTexts(plan, texts)).toEqual({
    ...plan,
    texts: { 'convention tone': 'T' },
    workflows: { review: { ...below, texts: { 'resource format': 'F' } } },
  })
})

test('a plan without texts stays as it is', () => {
  const plan = planOf([naming('a', 'convention', 'tone')])
  expect(withTexts(plan, {})).toEqual(plan)
})
