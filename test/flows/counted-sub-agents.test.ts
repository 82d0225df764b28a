import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Standing } from '../../src/engine/effort/mover.ts'
import { wordsIn } from '../../src/harness/words.ts'
import { User } from '../holdfast.ts'

/** The steps of shipped skills whose sub-agents a value counts, and how one comes there with three of them. */
const STEPS = [
  { begin: 'refactor --param explorers=3 --param scope=src', step: 'dispatch', next: 'triage' },
  {
    begin: 'codebase-analysis --param question=why',
    to: 'scope --set coverage=high --set explorers=3',
    step: 'survey',
    next: 'deepen',
  },
  {
    begin: 'executor --param plan=plan.md',
    to: 'planning --set work=check --set agents=3',
    step: 'reconciliation',
    next: 'planning',
  },
  {
    begin: 'executor --param plan=plan.md',
    to: 'planning --set work=wave --set agents=3',
    step: 'implementation',
    next: 'reconciliation',
  },
]
const ORDERS = [
  { how: 'all end well, the last one first', ends: ['3 ok', '2 ok', '1 ok'] },
  { how: 'one fails and the others have ended', ends: ['3 ok', '1 ok', '2 fail'] },
  { how: 'one never returns and is given up', ends: ['1 ok', '3 ok', '2 given up'] },
  { how: 'one fails while the others are at work', ends: ['2 fail'] },
]

/** One user for all, so that there is one daemon. */
let user: User
beforeAll(async () => {
  user = new User()
  for (const name of ['refactor', 'codebase-analysis', 'executor'])
    cpSync(join('contents/skills', name), join(user.project, '.claude/skills', name), { recursive: true })
  await user.json(['project', 'upsert', user.project])
})
afterAll(async () => await user[Symbol.asyncDispose]())

/** Runs a printed line, and returns the effort that it is about. */
async function run(line: string): Promise<number> {
  const [[, ...words] = []] = wordsIn(line) ?? []
  const { code, stdout, stderr } = await user.run(words)
  if (code !== 0) throw new Error(`${line} exited with ${code}: ${stdout}${stderr}`)
  return Number(/--effort (\d+)/.exec(stdout)?.[1] ?? 0)
}

const show = (effort: number) =>
  user.json<Standing>(['rpc', 'step.show', JSON.stringify({ effort_id: effort })])

const VERDICT = /'?verdict=\S+/
/** A sub-agent does its steps, and says that it found something at the end. */
async function carryOut(effort: number): Promise<void> {
  for (let { view } = await show(effort); view !== null && view !== undefined; { view } = await show(effort))
    await run((view.next[0]?.command ?? '').replace(VERDICT, 'verdict=SATISFIED').replaceAll('____', 'x.md'))
}

test.each(STEPS.flatMap((step) => ORDERS.map((order) => ({ ...step, ...order }))))(
  'the step $step of $begin goes on when $how',
  async ({ begin, to, step, next, ends }) => {
    const effort = await run(`holdfast step ${begin}`)
    if (to !== undefined) await run(`holdfast step done ${to} --effort ${effort} --visit 1`)
    const { view } = await show(effort)
    expect(view?.step).toBe(step)
    const own = new Map<number, number>()
    for (const { child, command } of view?.dispatch?.children ?? []) own.set(child, await run(command ?? ''))
    expect([...own.keys()]).toEqual([1, 2, 3])
    for (const [child, ofChild] of own) {
      const { view: told } = await show(ofChild)
      expect(JSON.stringify(told?.actions)).toMatch(new RegExp(`(?:line|explorer) ${child} `, 'i'))
    }
    const end = async (child: number, how = 'ok') => {
      const ofChild = own.get(child) ?? 0
      if (how === 'ok') await carryOut(ofChild)
      else if (how === 'fail') await run(`holdfast effort finish ${ofChild} --abandon 'It broke'`)
      else
        await run(
          `holdfast step fail ${step} --child ${child} --effort ${effort} --visit 1 --reason 'It hangs'`,
        )
    }
    for (const said of ends) {
      expect((await show(effort)).view?.step).toBe(step)
      await end(Number(said[0]), said.slice(2))
    }
    await run(`holdfast step --effort ${effort}`)
    const after = await show(effort)
    expect(after.view?.step).toBe(next)
    expect(after.view?.results.map(({ child, outcome }) => `${child} ${outcome}`)).toEqual(
      ends.map((said) => (said.endsWith('ok') ? said : `${said[0]} fail`)).toSorted(),
    )
    const late = [1, 2, 3].filter((child) => ends.every((said) => Number(said[0]) !== child))
    for (const child of late) await end(child)
    expect(await show(effort)).toEqual(after)
    await run(`holdfast effort finish ${effort} --abandon 'It was shown'`)
  },
)
