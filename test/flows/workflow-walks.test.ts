import { cpSync, globSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { commands } from '../../src/cli/commands/index.ts'
import { faultsIn } from '../../src/harness/told.ts'
import { MOST_STEP_TOKENS } from '../../src/model/catalogue.ts'
import type { Plan } from '../../src/model/plan/plan.ts'
import { tokensOf } from '../../src/model/recap.ts'
import { User } from '../holdfast.ts'
import { Walker } from '../workflow-walk.ts'
import { pathsOf, type Wish, wishesBy, wishesFor } from '../workflow-wishes.ts'

vi.setConfig({ testTimeout: 600_000 })

const OURS = 'contents/skills'
/** Workflows with many branches are walked in the long form, `npm run torture -- skills`; level 0 tests their graph. */
const MANY_BRANCHES = process.env['HOLDFAST_SKILLS'] === 'all' ? /^$/ : /\/(?:executor|plan-(?:adhoc|tdd))$/
const FOLDERS = globSync([`${OURS}/*/workflow.ts`, 'examples/*/workflow.ts'])
  .map(dirname)
  .filter((folder) => !MANY_BRANCHES.test(folder))
  .toSorted()

/** One user for all walks, so that there is one daemon. */
let user: User
beforeAll(() => void (user = new User()))
afterAll(async () => await user[Symbol.asyncDispose]())

/** Copies a workflow into the project; only those of the package need no trust. */
async function bring(folder: string): Promise<Plan> {
  const name = basename(folder)
  const path = join(user.project, '.claude', 'skills', name)
  cpSync(folder, path, { recursive: true })
  await user.json(['project', 'upsert', user.project])
  if (!folder.startsWith(OURS)) await user.json(['skill', 'trust', name, '--yes'])
  const asked = JSON.stringify({ path, run_modules: true })
  const { definition } = await user.json<{ definition: { plan: Plan } }>(['rpc', 'agent.skills.parse', asked])
  return definition.plan
}

const wrongWith = (text: string) =>
  faultsIn({ kind: 'told', text }, { commands, launcher: user.holdfast, fills: true })

test.each(FOLDERS)(
  'every path of %s is walked to its end by the commands that are printed',
  async (folder) => {
    const plan = await bring(folder)
    const name = basename(folder)
    const taken = new Set<string>()
    const heard = new Set<string>()
    const walk = async (wish: Wish) => {
      const walker = new Walker(user, name, wish)
      const { finished } = await walker.walk(plan)
      for (const path of walker.taken) taken.add(path)
      for (const text of walker.heard) heard.add(text)
      const isStopped = [...walker.taken].some((path) => path.endsWith('Abort'))
      expect(finished?.outcome).toBe(isStopped ? 'abandoned' : 'completed')
    }
    for (const wish of wishesFor(plan, name)) await walk(wish)
    const left = () => pathsOf(plan, name).filter((path) => !taken.has(path))
    // A plan with branches has paths behind an outcome that the usual walks do not take.
    for (let before = Infinity; left().length < before;) {
      before = left().length
      const [path] = left()
      for (const wish of path === undefined ? [] : wishesBy(path, plan, name)) await walk(wish)
    }
    expect(left()).toEqual([])
    expect([...heard].flatMap(wrongWith)).toEqual([])
    expect([...heard].filter((text) => tokensOf(text) > MOST_STEP_TOKENS)).toEqual([])
  },
)

test.each([
  ['its param', { mode: 'quick' }],
  ['the mode of its effort', { mode: 'full' }],
])('deepthink that is quick by %s prints none of the steps 5 to 10, counted from 0', async (_, params) => {
  const plan = await bring(`${OURS}/deepthink`)
  if (params.mode === 'full') await user.json(['effort', 'start', 'quick', 'deepthink', '--mode', 'quick'])
  const walker = new Walker(user, 'deepthink', { wanted: [], choices: [], params })
  const { finished, steps } = await walker.walk(plan)
  expect(finished?.outcome).toBe('completed')
  const inquiries = plan.steps.slice(5, 11)
  expect(inquiries.map(({ id }) => id)).toEqual([
    'sub-agent-design',
    'design-critique',
    'design-revision',
    'dispatch',
    'quality-gate',
    'aggregation',
  ])
  const others = plan.steps.filter((step) => !inquiries.includes(step))
  expect(steps.map(({ step }) => step)).toEqual(others.map(({ id }) => id))
  const printed = [...walker.heard].flatMap((text) => /^STEP (.*)/.exec(text)?.[1] ?? [])
  expect(new Set(printed)).toEqual(new Set(others.map(({ title }, at) => `${at + 1}/8: ${title}`)))
})
