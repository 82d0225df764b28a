import { cpSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Dispatch, Plan } from '../../src/model/plan/plan.ts'
import { planFor } from '../../src/model/plan/plan-for.ts'
import { User } from '../holdfast.ts'
import { Walker } from '../workflow-walk.ts'
import { wishesBy, type Wish } from '../workflow-wishes.ts'

vi.setConfig({ testTimeout: 600_000 })

type First = NonNullable<Wish['first']>
const FIRST: readonly First[] = ['ends last', 'fails', 'never returns']
/** Every skill of the package that gives steps to sub-agents. */
const CASES = globSync('contents/skills/*/')
  .filter((folder) =>
    globSync(`${folder}/*.ts`).some((file) => /\bdispatch\(/.test(readFileSync(file, 'utf8'))),
  )
  .map((folder) => basename(folder))
  .toSorted()
  .flatMap((name) => FIRST.map((first) => ({ name, first })))

/** One user for all walks, so that there is one daemon. */
let user: User
beforeAll(async () => {
  user = new User()
  cpSync('contents/skills', join(user.project, '.claude/skills'), { recursive: true })
  await user.json(['project', 'upsert', user.project])
})
afterAll(async () => await user[Symbol.asyncDispose]())

async function planOf(name: string): Promise<Plan> {
  const asked = { path: join(user.project, '.claude/skills', name), run_modules: true }
  const { definition } = await user.json<{ readonly definition: { readonly plan: Plan } }>([
    'rpc',
    'agent.skills.parse',
    JSON.stringify(asked),
  ])
  return definition.plan
}

/** What becomes of a step if the last of its sub-agents ends first, and the first one so. */
function expected({ count, join: needed }: Dispatch, hasWay: boolean, first: First) {
  // Too few are left, so the step fails with the first one; without a way on, it is done once more.
  if (first !== 'ends last' && count - 1 < needed) {
    const others = Array.from({ length: count - 1 }, (_, at) => `${at + 2} ok`)
    return { isDone: false, results: hasWay ? ['1 fail', ...(first === 'fails' ? [] : others)] : [] }
  }
  const good = Array.from({ length: needed }, (_, at) => `${count - needed + at + 1} ok`)
  return { isDone: true, results: [...(first === 'fails' ? ['1 fail'] : []), ...good] }
}

test.each(CASES)(
  'each step of $name that sub-agents do ends in whatever order they end, also if the first one $first',
  async ({ name, first }) => {
    const plan = await planOf(name)
    // With its defaults, a plan knows how many sub-agents a value counts.
    const counted = planFor(plan, { mode: null, begun: plan.steps.map(({ id }) => id) })
    const steps = counted.steps.flatMap(({ id, label, dispatch, next = {} }) =>
      dispatch === undefined ? [] : [{ id, label, dispatch, hasWay: Object.hasOwn(next, 'fail') }],
    )
    expect(steps).not.toEqual([])
    const shared = new Map<string, object>()
    for (const { id, label } of steps) {
      const [wish] = wishesBy(`${name} ${label} ok`, plan, name)
      if (shared.has(id) || wish === undefined) continue
      const walker = new Walker(user, name, { ...wish, first })
      const { finished } = await walker.walk(plan)
      expect(finished?.outcome).toBe('completed')
      for (const [step, end] of walker.shared) shared.set(step, end)
    }
    const wanted = steps.map((step) => [step.id, expected(step.dispatch, step.hasWay, first)] as const)
    expect(Object.fromEntries(shared)).toEqual(Object.fromEntries(wanted))
  },
)
