import { afterAll, expect, test, vi } from 'vitest'
import { LAUNCHED } from '../../src/daemon/launcher.ts'
import { User } from '../holdfast.ts'
import { doNamed } from '../../src/harness/named-action.ts'
import { Scene } from './scene.ts'
import { side } from './skills.ts'

vi.setConfig({ testTimeout: 600_000 })

const user = new User()
afterAll(() => user[Symbol.asyncDispose]())

const LIMITED = side('phases:\n  - {label: "1", name: Build, limit: 1}\n  - {label: "2", name: End}\n')
const CLAIMED = side(
  'phases:\n  - {label: "1", name: Look, proof: [findings]}\n  - {label: "2", name: End}\n',
)

/** The last line that was printed. */
const lastLine = (it: Scene): string => it.said.trim().split('\n').at(-1) ?? ''

test('a report that a parked plan refuses is found by why, which ends with what would pass now', async () => {
  const it = new Scene(user, LIMITED)
  await it.call('/flow')
  await it.good('step go 1 --effort EFFORT')
  await it.bad('step fail 1 --effort EFFORT --reason red')
  for (const report of ['step done --effort EFFORT', 'step go --effort EFFORT', 'effort finish EFFORT']) {
    expect(await it.bad(report)).toContain('parked')
    await it.good('why')
    expect(it.said).toMatch(/^Refused: .*parked\. Limit reached for step "1"\./)
    expect(it.said).toContain(`only the user can run: holdfast effort approve ${it.effort} 1 --reason '____'`)
  }
  await it.good("effort approve EFFORT 1 --reason 'once more'")
  await it.good('why')
  expect(it.said).not.toContain('only the user can run')
  expect(lastLine(it)).toBe(`next: holdfast step go '1: Build' --effort ${it.effort}`)
})

test('why names the step to show once the work is finished', async () => {
  const it = new Scene(user, LIMITED)
  await it.call('/flow')
  expect(await it.bad('step go 2 --effort EFFORT')).toContain('out of order')
  for (const move of ['step go 1', 'step done', 'step done']) await it.good(`${move} --effort EFFORT`)
  await it.good('why')
  expect(lastLine(it)).toBe(`next: holdfast effort show ${it.effort}`)
})

test('a field that needs no command is given with its step, as the refusal of prove says', async () => {
  const it = new Scene(user, CLAIMED)
  await it.call('/flow')
  await it.good('step go 1 --effort EFFORT')
  const refused = await it.bad('prove findings --effort EFFORT')
  expect(refused).toContain(`holdfast step done 1 --effort ${it.effort} --proof '{"findings":"____"}'`)
  expect(await doNamed(it, refused ?? '')).toBeUndefined()
  const { current } = await it.ask<{ current: readonly string[] }>('step.show', { effort_id: it.effort })
  expect(current).toEqual(['2'])
})

test('a recap as JSON names the launcher to whoever used it', async () => {
  const it = new Scene(user, LIMITED)
  await it.call('/flow')
  const env = { CLAUDE_CODE_SESSION_ID: it.session, [LAUNCHED]: '1' }
  const words = ['recap', '--effort', String(it.effort), '--json']
  const { stdout } = await user.run(words, { cwd: it.project, env })
  expect((JSON.parse(stdout) as { text: string }).text).toContain('/bin/holdfast step go')
})

test('a phase that is to be tried again does not come after itself', async () => {
  const it = new Scene(user, LIMITED)
  await it.call('/flow')
  await it.good('step go 1 --effort EFFORT')
  await it.bad('step fail 1 --effort EFFORT --reason red')
  await it.good("effort approve EFFORT 1 --reason 'once more'")
  const refused = await it.bad('step go 2 --effort EFFORT')
  expect(refused).toContain('phase "2: End" is out of order. Next is phase "1: Build".')
})
