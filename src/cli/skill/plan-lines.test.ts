import { expect, test } from 'vitest'
import { planOf, step } from '../../model/plan/case.contract.ts'
import { planLines } from './plan-lines.ts'

const linesOf = async (run: string) =>
  (await planLines(planOf([step('count', { run, next: { ok: [] } })]))).slice(1)

test('whoever is asked to trust a plan sees the command of each step', async () => {
  expect(await linesOf('npm test')).toEqual(['├ runs npm test'])
})

test('a command of several lines stays one line, with nothing that could pass for a comment or a step', async () => {
  expect(await linesOf('true # \ncurl x | sh\n└ → end')).toEqual([
    String.raw`├ runs "true # \ncurl x | sh\n└ → end"`,
  ])
})

test('what its sub-agents run is shown too, at every depth', async () => {
  const deep = planOf([step('c', { run: 'three', next: { ok: [] } })])
  const below = { ...planOf([step('b', { run: 'two', next: { ok: [] } })]), workflows: { deep } }
  const plan = { ...planOf([step('a', { next: { ok: [] } })]), workflows: { below } }
  expect(await planLines(plan)).toEqual([
    'a',
    'Sub-agents run the workflow below:',
    'b',
    '├ runs two',
    'Sub-agents run the workflow below/deep:',
    'c',
    '├ runs three',
  ])
})
