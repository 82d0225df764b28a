import { afterAll, beforeAll, expect, test } from 'vitest'
import { SkilledUser } from '../skilled-user.ts'

let user: SkilledUser
const start = (task: string, skill = 'deploy') => user.json<{ id: number }>(['effort', 'start', task, skill])

beforeAll(async () => {
  user = await SkilledUser.arrive()
})
afterAll(() => user[Symbol.asyncDispose]())

test('effort list shows active efforts of the project, and with --all also the finished ones', async () => {
  const [done, open] = [await start('work/done'), await start('work/open')]
  const given = await user.run(['effort', 'finish', String(done.id), '--abandon', 'not needed'])
  expect(given.stdout).toMatch(/^Effort \d+ \(deploy\) abandoned in /)
  const listed = async (...flags: readonly string[]) =>
    (await user.json<{ id: number }[]>(['effort', 'list', ...flags])).map(({ id }) => id)
  expect(await listed()).toEqual([open.id])
  expect(await listed('--all')).toEqual([open.id, done.id])
  expect((await user.run(['effort', 'list', '--all'])).stdout).toContain('finished')
})

test('pipeline status means the only running pipeline of the project', async () => {
  user.put('.claude/skills/line/SKILL.md', '---\nname: line\ndescription: Runs.\n---\n\nRun it.\n')
  user.put('.claude/skills/line/holdfast.yaml', 'pipeline: [{id: a, prompt: Do it.}]\n')
  const none = await user.run(['pipeline', 'status'])
  expect(none.stderr).toContain('No pipeline is running here.')
  const begin = (task: string) => user.json<{ effort_id: number }>(['pipeline', 'start', task, 'line'])
  const { effort_id } = await begin('work/line')
  expect(await user.json(['pipeline', 'status'])).toMatchObject({ effort_id })
  await begin('work/second')
  const several = await user.run(['pipeline', 'status'])
  expect(several.stderr).toContain(`try: holdfast pipeline status ${effort_id}`)
})

test('pause off says whether it ended a pause', async () => {
  const said = async (...words: readonly string[]) => (await user.run(['pause', ...words])).stdout.trim()
  expect(await said('off')).toBe('Enforcement was not paused.')
  await said('10m')
  expect(await said('off')).toBe('The pause is over; plans are enforced again.')
})
