import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { Agent } from '../agent.ts'
import { User } from '../holdfast.ts'
import { SkilledUser } from '../skilled-user.ts'

vi.setConfig({ testTimeout: 300_000 })

test('tasks of calls lie where the project says, and so does the log of the work', async () => {
  await using user = await SkilledUser.arrive()
  user.put('.holdfast/config.yaml', '# ours\nother: kept\n')
  expect((await user.run(['config', 'set', 'tasks', 'sessions/', '--project'])).code).toBe(0)
  const text = readFileSync(join(user.project, '.holdfast/config.yaml'), 'utf8')
  expect(text).toContain('# ours\nother: kept\n')
  expect(await user.json(['config', 'get', 'tasks'])).toMatchObject({ value: 'sessions/' })
  const agent = new Agent(user, 'one')
  await agent.starts()
  expect(await agent.hears('/implement the login page')).toContain(`${user.project}/sessions/`)
  await agent.holdfast(['log', 'Begun'])
  const [effort] = await user.ask<{ task_id: string }[]>('db.effort.findActive', {})
  expect(effort?.task_id).toMatch(/\/sessions\/\d{4}-\d\d-\d\d-implement-the-login-page$/)
  expect(existsSync(join(effort?.task_id ?? '', '1_IMPLEMENT_LOG.md'))).toBe(true)
})

test.each([
  [['tasks', '../x', '--project'], 'holdfast config set tasks .holdfast/tasks/ --project'],
  [['log', 'debug', '--project'], 'holdfast config set log debug'],
  [['log', 'loud'], 'holdfast config set log info'],
])('config set %j is refused with the command that works', async (words, hint) => {
  await using user = await SkilledUser.arrive()
  const { code, stderr } = await user.run(['config', 'set', ...words])
  expect(code).not.toBe(0)
  const told = /try: (.*)$/m.exec(stderr)?.[1] ?? ''
  expect(told).toBe(hint)
  expect((await user.run(told.split(' ').slice(1))).code).toBe(0)
})

test('own modes and shortcuts are listed, and no value replaces their map', async () => {
  await using user = new User()
  mkdirSync(join(user.project, '.holdfast'), { recursive: true })
  const path = join(user.project, '.holdfast', 'config.yaml')
  writeFileSync(path, 'modes: {sec: Look for holes., ver: off}\nshortcuts: {wip: Commit it.}\n')
  expect(await user.json(['config', 'list'])).toMatchObject({
    own: [
      { key: 'modes', source: 'project', names: ['#sec', '#ver off'] },
      { key: 'shortcuts', source: 'project', names: ['wip'] },
    ],
    problems: [],
  })
  expect((await user.run(['config', 'list'])).stdout).toContain('Own modes (project): #sec, #ver off')
  const set = await user.run(['config', 'set', 'modes', 'off', '--project'])
  expect(set).toMatchObject({ code: 64, stderr: expect.stringContaining('config unset modes --project') })
  expect((await user.run(['config', 'unset', 'modes', '--project'])).code).toBe(0)
  expect((await user.run(['config', 'set', 'modes', 'off', '--project'])).code).toBe(0)
  expect(readFileSync(path, 'utf8')).toBe('shortcuts: {wip: Commit it.}\nmodes: off\n')
})

test('config set --project outside of a project makes nothing, and names the command that works', async () => {
  await using user = new User()
  const words = ['config', 'set', 'tasks', 'sessions/', '--project']
  const { code, stderr } = await user.run(words)
  expect(code).not.toBe(0)
  expect(stderr).toContain(`try: holdfast project upsert ${user.project} && holdfast ${words.join(' ')}\n`)
  expect(existsSync(join(user.project, '.holdfast'))).toBe(false)
  await user.json(['project', 'upsert', user.project])
  mkdirSync(join(user.project, 'deep'))
  expect((await user.run(words, { cwd: join(user.project, 'deep') })).stderr).toContain(
    `try: cd ${user.project} && holdfast ${words.join(' ')}\n`,
  )
  expect((await user.run(words)).code).toBe(0)
  expect(existsSync(join(user.project, '.holdfast/config.yaml'))).toBe(true)
})
