import { expect, test } from 'vitest'
import { begin } from './advance.ts'
import { planOf, step } from './case.contract.ts'
import { NOTHING_RECORDED } from './evidence.ts'
import type { Plan, Step } from './plan.ts'
import { visit } from './visit.ts'
import { wayTo } from './way.ts'

/** Steps that each need the product of the one before; with `isLooped`, each may lead back to the first. */
const chain = (size: number, isLooped: boolean): readonly Step[] =>
  Array.from({ length: size }, (_, index) =>
    step(`s${index}`, {
      consumes: [index === 0 ? 'user-request' : `a${index - 1}`],
      produces: [`a${index}`],
      ...(isLooped && { next: { again: ['s0'] }, limit: 2 }),
    }),
  )

/** How often the fields of steps are read to find the way to the last step of a chain, from its first. */
function readsFor(size: number, isLooped: boolean): number {
  let reads = 0
  const counted = (one: Step) =>
    new Proxy(one, { get: (of, field) => (reads++, Reflect.get(of, field) as unknown) })
  const plan: Plan = planOf(chain(size, isLooped).map(counted))
  const first = visit(plan, begin(plan), 's0', NOTHING_RECORDED)
  if (!first.ok) throw new Error(first.why)
  const way = wayTo(plan, first.progress, `s${size - 1}`, NOTHING_RECORDED)
  expect(way).toHaveLength(size - 2)
  return reads
}

test.each([
  ['plain', false],
  ['looped', true],
])('the way to a far %s step costs no more than steps times rounds', (_, isLooped) => {
  // Four times the steps: sixteen times the work, and a little more, but not sixty-four times.
  expect(readsFor(80, isLooped) / readsFor(20, isLooped)).toBeLessThan(20)
})

test('a step of a workflow is named once, although it starts by one command and ends by another', () => {
  const ids = ['a', 'b', 'c', 'd']
  const steps = ids.map((id, index) =>
    step(id, { actions: [], next: { ok: ids.slice(index + 1, index + 2) } }),
  )
  const plan = planOf(steps, { notation: 'workflow', entry: ['a'], format: 'text' })
  const first = visit(plan, begin(plan), 'a', NOTHING_RECORDED)
  if (!first.ok) throw new Error(first.why)
  const way = wayTo(plan, first.progress, 'd', NOTHING_RECORDED) ?? []
  expect(way.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
})
