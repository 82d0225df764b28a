import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporarySqlite } from '../../store/open.contract.ts'
import { type Answer, makeWorld, type World } from '../world.contract.ts'
import { compiledRunbook, runbookOf } from './runbook.contract.ts'

let world: World
beforeAll(async () => {
  world = await makeWorld(temporarySqlite)
})
afterAll(() => world[Symbol.asyncDispose]())

/** In the second phase, steps fail once, twice, three times or until the user helps; some reviews find something. */
const FAILING: Readonly<Record<string, { readonly category: string; readonly times: number }>> = {
  'step-2-2': { category: 'execution', times: 1 },
  'step-2-3': { category: 'unexpected', times: 2 },
  'step-2-4': { category: 'misalignment', times: 3 },
  'step-2-5': { category: 'prerequisite', times: 1 },
  'step-2-6': { category: 'ambiguity', times: 1 },
  'step-10-20': { category: 'execution', times: 4 },
  'checkpoint-3': { category: 'findings', times: 1 },
  'checkpoint-4': { category: 'findings', times: 3 },
  'fix-checkpoint-4': { category: 'execution', times: 1 },
  'final-review': { category: 'execution', times: 1 },
}

test('an orchestrator carries out a runbook of 200 steps, with failures at every rung and of every category', async () => {
  const numbers = Array.from({ length: 200 }, (_, at) => `${Math.floor(at / 20) + 1}.${(at % 20) + 1}`)
  const it = await compiledRunbook(world, {
    text: runbookOf(Object.fromEntries(numbers.map((one) => [one, 'haiku']))),
  })
  const models = new Map<string, string[]>()
  let parked = 0
  let asked = 0
  for (let hand = await it.next(); hand.status !== 'finished' && asked < 300; hand = await it.next()) {
    asked++
    if (hand.status === 'parked') {
      // The user lets the last step that is stuck be tried again.
      const [, step = ''] = /approve \d+ (\S+)/.exec(hand.next.at(-1)) ?? []
      await it.approve(step)
      parked++
      continue
    }
    models.set(hand.step, [...(models.get(hand.step) ?? []), hand.model])
    const { category = '', times = 0 } = FAILING[hand.step] ?? {}
    const visit = hand.attempt
    const told =
      visit <= times ? await it.error(hand.step, category, { visit }) : await it.done(hand.step, { visit })
    expect(told.moved).toBe(true)
  }
  expect(numbers.filter((one) => !models.has(`step-${one.replace('.', '-')}`))).toEqual([])
  expect(Object.fromEntries(Object.keys(FAILING).map((step) => [step, models.get(step)?.join(' ')]))).toEqual(
    {
      'step-2-2': 'haiku sonnet',
      'step-2-3': 'haiku sonnet opus',
      'step-2-4': 'haiku sonnet opus opus',
      'step-2-5': 'haiku sonnet',
      'step-2-6': 'haiku sonnet',
      'step-10-20': 'haiku sonnet opus opus opus',
      'checkpoint-3': 'sonnet sonnet',
      'checkpoint-4': 'sonnet sonnet opus opus',
      'fix-checkpoint-4': 'sonnet opus',
      'final-review': 'opus opus',
    },
  )
  const { steps, status } = await it.status()
  expect(status).toBe('finished')
  const attempts = steps.reduce((sum: number, step: Answer) => sum + step.attempts, 0)
  expect(attempts).toBe([...models.values()].flat().length)
  expect(parked).toBe(7)
})
