import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SkilledUser } from '../skilled-user.ts'

let user: SkilledUser
let effort: string

beforeAll(async () => {
  user = await SkilledUser.arrive()
  const { id } = await user.json<{ id: number }>(['effort', 'start', 'work/it', 'deploy'])
  effort = String(id)
})
afterAll(() => user[Symbol.asyncDispose]())

const told = async (...words: readonly string[]) => (await user.run(words)).stderr

/** What an error of the CLI tells to do next works, and creates nothing that nobody asked for. */
describe('the action after an error', () => {
  test('of the ad-hoc effort of a task starts an effort there', async () => {
    await user.json(['task', 'upsert', 'work/it'])
    const all = await user.ask<{ id: number; ordinal: number }[]>('db.effort.list', {
      task_id: `${user.project}/work/it`,
      ad_hoc: true,
    })
    const adHoc = all.find(({ ordinal }) => ordinal === 0)
    expect(await told('step', '--effort', String(adHoc?.id))).toContain(
      `try: holdfast effort start ${user.project}/work/it SKILL`,
    )
  })

  test('of a task that does not exist lists the tasks', async () => {
    expect(await told('session', 'continue', 'foo')).toContain('try: holdfast task list')
    expect(await told('log', 'Done.', '--dir', 'foo')).toContain('try: holdfast task list')
  })

  test('of a proof that the plan does not ask for shows what it asks for', async () => {
    expect(await told('prove', 'nope', '--effort', effort)).toContain(`try: holdfast step --effort ${effort}`)
    const asked = await told('prove', 'bundle', '--effort', effort)
    expect(asked).toContain(`try: holdfast artifact put ${effort} bundle`)
  })

  test('of an unknown flag of a step is the help of that command', async () => {
    const stderr = await told('step', 'done', '--bogus', '1', '--effort', effort)
    expect(stderr).toContain('--bogus is not a field of proof: nothing asks for proof now.')
    expect(stderr).toContain('try: holdfast step done --help')
    expect((await user.run(['step', 'done', '--help'])).code).toBe(0)
  })

  test('is no command if an agent must read a file', async () => {
    const stderr = await told('step', 'done', 'ship', '--effort', effort)
    expect(stderr).toMatch(/^ {2}next: read \S+\/\w+\.md$/m)
    expect(stderr).not.toContain('try:')
  })
})

test('a recorded artifact names the step that follows', async () => {
  const { id } = await user.json<{ id: number }>(['effort', 'start', 'work/other', 'deploy'])
  const { stdout } = await user.run(['artifact', 'put', String(id), 'bundle'])
  expect(stdout).toContain('next step: build')
})
