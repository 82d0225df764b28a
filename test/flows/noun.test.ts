import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { User } from '../holdfast.ts'

let user: User
beforeAll(async () => {
  user = new User()
  await user.run(['daemon', 'start'])
})
afterAll(() => user[Symbol.asyncDispose]())

describe('a noun alone', () => {
  const shows = [
    ['effort', 'effort list'],
    ['project', 'project list'],
    ['task', 'task list'],
    ['agent', 'agent list'],
    ['session', 'session find'],
    ['queue', 'queue list'],
    ['run', 'run list'],
    ['skill', 'skill list'],
    ['span', 'span tree'],
  ] as const
  test.each(shows)('%s is %s', async (noun, full) => {
    await user.json(['project', 'upsert', '.'])
    const alone = await user.run([noun, '--json'])
    expect(alone).toEqual(await user.run([...full.split(' '), '--json']))
    expect(alone.code).toBe(0)
  })

  test('takes the flags of its default command, and prints help without one', async () => {
    await user.json(['project', 'upsert', '.'])
    const { id } = await user.json<{ id: number }>(['queue', 'add', 'Look here', '--kind', 'question'])
    expect(await user.json(['queue', '--kind', 'question'])).toMatchObject([{ id, content: 'Look here' }])
    expect(await user.json(['queue', '--kind', 'follow-up'])).toEqual([])
    expect(await user.json(['daemon'])).toMatchObject({ running: true })
    expect((await user.run(['artifact'])).stdout).toContain('holdfast artifact list EFFORT')
    expect((await user.run(['directive'])).stdout).toContain('holdfast directive discover')
    expect((await user.run(['hooks'])).stdout).toContain('holdfast hooks enable')
    expect((await user.run(['queue', 'lst'])).stderr).toContain('Did you mean: queue list')
    expect((await user.run(['span', 'list'])).stderr).toMatch(
      /Did you mean: span\?\n {2}try: holdfast span\n/,
    )
    expect((await user.run(['queue', '--knd', 'x'])).stderr).toContain('queue list has no flag --knd')
  })
})
