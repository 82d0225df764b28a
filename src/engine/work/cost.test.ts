import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporarySqlite } from '../../store/open.contract.ts'
import { makeWorld, type World } from '../world.contract.ts'

let world: World
beforeAll(async () => {
  world = await makeWorld(temporarySqlite)
})
afterAll(() => world[Symbol.asyncDispose]())

const AT_ONCE = 500

/** A body of work in which each item waits for two before it. */
async function bodyOf(count: number): Promise<number> {
  let effort_id: number | undefined
  for (let first = 0; first < count; first += AT_ONCE) {
    const items = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, index) => {
      const at = first + index
      const blocked_by = at < 50 ? [] : [`i${at - 50}`, `i${at - 49}`]
      return { item: `i${at}`, title: `Item ${at}`, blocked_by }
    })
    const begin =
      effort_id === undefined ? { cwd: world.project, begin: true, title: `${count}` } : { effort_id }
    effort_id = (await world.call('work.add', { ...begin, items })).effort_id
  }
  return effort_id ?? 0
}

/** What the cheapest of some decisions costs, and how many statements the dearest one needs. */
async function costOf(effort_id: number, decisions: number) {
  const [statements, times]: [number[], number[]] = [[], []]
  for (let time = 0; time < decisions; time++) {
    const [before, begun] = [world.watch.committed.length, performance.now()]
    const { item } = await world.call('work.claim', { effort_id, worker: 'w' })
    await world.call('work.report', { effort_id, item: item.item, fence: item.fence, outcome: 'done' })
    times.push(performance.now() - begun)
    statements.push(...world.watch.committed.slice(before).map(({ length }) => length))
  }
  return { least: Math.min(...times), most: Math.max(...statements) }
}

test('a decision costs the same among 10,000 items as among 100', async () => {
  const [small, large] = [await bodyOf(100), await bodyOf(10_000)]
  const costs: { small: Cost; large: Cost }[] = []
  // Both take turns, so that a busy machine slows down both.
  for (let round = 0; round < 9; round++)
    costs.push({ small: await costOf(small, 8), large: await costOf(large, 8) })
  const leastOf = (size: 'small' | 'large') => Math.min(...costs.map((cost) => cost[size].least))
  const mostOf = (size: 'small' | 'large') => Math.max(...costs.map((cost) => cost[size].most))
  expect(mostOf('large')).toBeLessThanOrEqual(mostOf('small'))
  expect(leastOf('large') / leastOf('small')).toBeLessThan(2)
})

type Cost = Awaited<ReturnType<typeof costOf>>
