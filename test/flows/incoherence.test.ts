import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { Standing } from '../../src/engine/effort/mover.ts'
import type { StepView } from '../../src/model/workflow/view.ts'
import { User } from '../holdfast.ts'
import { lineOf, stepOf } from '../workflow-user.ts'

vi.setConfig({ testTimeout: 240_000 })

/** A user with the skill, and an agent that runs what is printed. */
async function begun() {
  const user = new User()
  const name = 'incoherence'
  cpSync(`contents/skills/${name}`, join(user.project, '.claude/skills', name), { recursive: true })
  await user.json(['project', 'upsert', user.project])
  const { effort_id } = await stepOf(user, `holdfast step ${name} --param scope=docs`)
  const again = `holdfast step --effort ${effort_id}`
  const shell = (line: string) => lineOf(user, line)
  const commandsOf = async () =>
    ((await stepOf(user, again)).dispatch?.children ?? []).map(({ command }) => command ?? '')
  return {
    user,
    shell,
    show: () => stepOf(user, again),
    end: () => user.json<Standing>(['rpc', 'step.show', JSON.stringify({ effort_id })]),
    /** Ends the current step by its printed command, with these values in its blanks. */
    async leave(values: Readonly<Record<string, string>> = {}) {
      await shell(filled(await stepOf(user, again), values))
    },
    /** Starts all sub-agents of the current step at the same time. */
    starts: async () => {
      const commands = await commandsOf()
      return await Promise.all(commands.map((command) => stepOf(user, command)))
    },
    /** Carries out the workflow of a sub-agent up to its end; what its last command says. */
    async finishes({ effort_id: own, skill }: StepView) {
      for (;;) {
        const { code, stdout } = await shell(filled(await stepOf(user, `holdfast step --effort ${own}`), {}))
        if (code !== 0 || stdout.includes(`${skill}  effort ${own}, finished`)) return stdout
      }
    },
    /** Reports that a sub-agent of the current step cannot do its work. */
    async givesUp(child: number) {
      const { dispatch } = await stepOf(user, again)
      await shell((dispatch?.children[child - 1]?.report?.fail ?? '').replace('____', 'gone'))
    },
    [Symbol.asyncDispose]: () => user[Symbol.asyncDispose](),
  }
}

/** The first command of a step, with the values that it asks for. */
const filled = ({ next: [way] }: StepView, values: Readonly<Record<string, string>>): string =>
  (way?.command ?? '')
    .replaceAll(/--set '?(\w+)=\S+/g, (_, name: string) => `--set ${name}=${values[name] ?? 'file.md'}`)
    .replaceAll('____', 'yes')

const resultsOf = ({ step, results }: StepView) => [
  step,
  ...results.map(({ child, outcome }) => `${child} ${outcome}`),
]

test('incoherence goes on with the sub-agents that succeed, in any order, and past the limit of its loop', async () => {
  await using it = await begun()
  await it.leave()
  await it.leave()
  const [silent, two, three, four] = await it.starts()
  if (!silent || !two || !three || !four) throw new Error('Four sub-agents explore.')
  expect(four.actions[0]).toMatch(/section 4 of \S+dimensions-\d+\.md/)
  await it.finishes(four)
  await it.finishes(two)
  expect((await it.show()).step).toBe('exploration-dispatch')
  await it.finishes(three)
  expect(resultsOf(await it.show())).toEqual(['synthesize-candidates', '2 ok', '3 ok', '4 ok'])

  await it.leave({ candidates: 'some' })
  const [, b, c] = await it.starts()
  if (!b || !c) throw new Error('Three sub-agents examine.')
  await it.finishes(c)
  await it.givesUp(1)
  await it.finishes(b)
  expect(resultsOf(await it.show())).toEqual(['verdict-analysis', '1 fail', '2 ok', '3 ok'])

  await it.leave({ issues: 'some' })
  await it.leave()
  for (let batch = 1; batch <= 8; batch++) {
    expect(await it.show()).toMatchObject({ step: 'present-batch', visit: batch })
    await it.leave()
    await it.leave({ batches: 'next' })
  }
  expect((await it.show()).step).toBe('plan-dispatch')

  await it.leave({ changes: 'some' })
  const [slow, , last] = await it.starts()
  if (!slow || !last) throw new Error('Three sub-agents apply.')
  await it.finishes(last)
  await it.givesUp(2)
  expect(resultsOf(await it.show())).toEqual(['reconcile-collect', '2 fail', '3 ok'])
  for (const late of [slow, silent]) expect(await it.finishes(late)).toContain('return to the agent')
  expect((await it.show()).step).toBe('reconcile-collect')
  await it.leave()
  await it.leave()
  expect(await it.end()).toMatchObject({ status: 'finished', finished: { outcome: 'completed' } })
})
