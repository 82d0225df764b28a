import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { DaemonStatus } from '../../src/engine/call/context.ts'
import { familyPlan } from '../../src/engine/methods/family.contract.ts'
import { reviewedPlan } from '../../src/engine/methods/review.contract.ts'
import type { StepView } from '../../src/model/workflow/view.ts'
import { User } from '../holdfast.ts'
import { lineOf, putWorkflow, stepOf } from '../workflow-user.ts'

vi.setConfig({ testTimeout: 240_000 })

let user: User
beforeEach(() => void (user = new User()))
afterEach(async () => await user[Symbol.asyncDispose]())

const step = (line: string) => stepOf(user, line)
const shell = (line: string) => lineOf(user, line)
const commandsOf = ({ dispatch }: StepView) => (dispatch?.children ?? []).map(({ command }) => command ?? '')
const next = ({ next: [way] }: StepView) => way?.command ?? ''
const filled = (command: string, result: string) =>
  command.replace('pass|fail', result).replaceAll('____', 'a reason')

/** Walks the workflow of a sub-agent by what it prints, from its first command to its end. */
async function walk(command: string, result: string): Promise<string> {
  const first = await step(command)
  const last = await step(next(first))
  const end = filled(next(last), result)
  const { code, stdout } = await shell(end)
  expect([code, end]).toEqual([0, end])
  // Its report was lost on the way, so it is said again.
  expect((await shell(end)).stdout).toContain('return to the agent that started you')
  expect((await shell(command)).stdout).toContain('This work is done.')
  return stdout
}

test('sub-agents walk by the commands that are printed, word for word, and their step ends with the last of them', async () => {
  await putWorkflow(user, 'family', familyPlan())
  const parent = await step("holdfast step family --param topic='a & <b>'")
  const [one = '', two = ''] = commandsOf(parent)
  const told = await shell(one)
  expect(told.stdout).toContain('<step_header script="family/check"')
  expect(told.stdout).toContain('Look at the a &amp; &lt;b&gt; in attic.')
  // Both at once, and the daemon dies in between.
  const [first, second] = await Promise.all([step(one), step(two)])
  expect(await step(one)).toEqual(first)
  const { pid } = await user.json<DaemonStatus>(['daemon', 'status'])
  process.kill(pid, 'SIGKILL')
  expect(first?.effort_id).not.toBe(second?.effort_id)
  expect(await walk(two, 'fail')).toContain('return to the agent that started you')
  const waiting = await shell(parent.again)
  expect(waiting.stdout).toContain('1 (running)')
  expect(waiting.stdout).toContain(one)
  await walk(one, 'pass')
  const last = await step(parent.again)
  expect(last).toMatchObject({
    step: 'tell',
    results: [
      { child: 1, outcome: 'ok', values: { result: 'pass' } },
      { child: 2, outcome: 'ok', values: { result: 'fail' } },
    ],
  })
  expect((await shell(next(last))).stdout).toContain('its plan was carried out')
  expect((await shell(`${one} --json`)).stdout).toContain('"ok"')
})

test('one that hangs is given up by the printed command, and one of an earlier visit hears that it is over', async () => {
  await putWorkflow(user, 'family', familyPlan())
  const parent = await step('holdfast step family')
  const [one = '', two = ''] = commandsOf(parent)
  const hanging = await step(one)
  const { report } = (await step(parent.again)).dispatch?.children[0] ?? {}
  expect(await shell(filled(report?.fail ?? '', ''))).toMatchObject({ code: 0 })
  const again = await step(parent.again)
  expect(again).toMatchObject({ step: 'split', visit: 2 })
  expect((await shell(two)).stdout).toContain('Nobody waits for this work any more.')
  const late = await shell(next(hanging))
  expect(late.stderr).toContain('nothing moved')
  expect(late.stdout).toContain('it was given up')
  expect(late.stdout).toContain('return to the agent that started you')
  for (const command of commandsOf(again)) await walk(command, 'pass')
  expect((await step(parent.again)).step).toBe('tell')
})

test('the rounds of a review are counted without any word on the command line, up to the choice of the user', async () => {
  await putWorkflow(user, 'reviewed', reviewedPlan())
  let work = await step('holdfast step reviewed')
  const round = async (iteration: number, result: string): Promise<StepView> => {
    expect(work).toMatchObject({ step: 'work', visit: iteration })
    expect(next(work)).not.toContain('iteration')
    const review = await step(next(work))
    expect(review).toMatchObject({ step: 'qr', review: { qr: { iteration } } })
    await walk(commandsOf(review)[0] ?? '', result)
    const gate = await step(review.again)
    expect(gate.gate?.qr).toMatchObject({ iteration, status: result })
    const printed = await shell(gate.again)
    expect(printed.stdout).not.toMatch(/\{\{|\$\{|\{qr/)
    return await step(next(gate))
  }
  for (const iteration of [1, 2, 3, 4, 5]) work = await round(iteration, 'fail')
  const parked = await shell(work.again)
  expect(parked.code).toBe(1)
  expect(parked.stdout).toContain('iteration_limit_reached')
  const [goOn] = (await step(work.again)).gate?.choices ?? []
  expect(await shell(goOn?.command ?? '')).toMatchObject({ code: 0 })
  work = await step(work.again)
  expect((await round(6, 'pass')).step).toBe('ship')
})
