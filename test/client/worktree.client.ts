import { join } from 'node:path'
import { expect, test } from 'vitest'
import { git } from '../git.ts'
import { RealClient } from './client.ts'
import { say, use } from './model-server.ts'

test('clients in two checkouts of a repository work on one project: its efforts, its plan and its level', async () => {
  await using client = await RealClient.start()
  await client.user.json(['skill', 'new', 'ship', '--notation', 'steps'])
  await client.user.json(['init', '--scope', 'user', '--yes'])
  const tree = join(client.user.folder, 'tree')
  await git(client.project, 'add', '.')
  await git(client.project, 'commit', '-qm', 'A skill')
  await git(client.project, 'worktree', 'add', '-q', tree)
  const read = (checkout: string, step: string) =>
    use('Read', { file_path: join(checkout, `.claude/skills/ship/steps/${step}.md`) })
  const results = () => client.model.last().toolResults()

  client.model.script('main', [read(client.project, 'understand'), say('Understood.')])
  await client.run('/ship a login page')
  const [login] = await client.user.json<{ id: number }[]>(['effort', 'find-active'])

  client.model.script('main', [read(tree, 'check'), read(tree, 'work'), say('Went on.')])
  await client.run(`/ship --continue ${login?.id}`, { cwd: tree })
  expect(results()).toMatchObject([{ isError: true }, { isError: false }])
  expect(results()[0]?.text).toContain('which step "work" produces')

  await client.user.json(['enforce', 'observe'])
  client.model.script('main', [read(tree, 'check'), say('Checked.')])
  await client.run('/ship a logout page', { cwd: tree })
  expect(results()).toMatchObject([{ isError: false }])

  const there = { cwd: tree }
  expect(await client.user.json(['project', 'list'])).toMatchObject([
    { path: client.project, level: 'observe', workplaces: [{ path: client.project }, { path: tree }] },
  ])
  expect(await client.user.json(['effort', 'find-active'], there)).toMatchObject([
    { request: 'a logout page' },
    { request: 'a login page' },
  ])
})
