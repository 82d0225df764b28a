import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RealClient } from './client.ts'
import { say, use } from './model-server.ts'

test('an agent that edits its plan still meets the plan that it began with, until the user accepts', async () => {
  await using client = await RealClient.start()
  await client.user.json(['skill', 'new', 'deploy', '--notation', 'steps'])
  await client.user.json(['init', '--scope', 'user', '--yes'])
  const check = join(client.project, '.claude/skills/deploy/steps/check.md')
  const read = use('Read', { file_path: check })
  const edit = `sed -i 's/^consumes:.*/consumes: [user-request]/' ${check} && sleep 2`
  const turns = [read, use('Bash', { command: edit, description: 'Edit' }), read, say('Done.')]
  client.model.script('main', turns)
  await client.run('/deploy it', {
    args: ['--permission-mode', 'bypassPermissions'],
    env: { IS_SANDBOX: '1' },
  })

  const results = client.model.last().toolResults()
  expect(results.map(({ isError }) => isError)).toEqual([true, false, true])
  const [effort] = await client.user.json<{ id: number }[]>(['effort', 'find-active'])
  const line = `Only the user can put the edit in force: holdfast effort accept ${effort?.id}`
  const shown = ['effort', 'show', String(effort?.id)]
  expect((await client.user.json<{ plan_edit: string }>(shown)).plan_edit).toContain(line)
  expect(client.model.last().mentions(`effort accept ${effort?.id}`)).toBe(true)
  const accept = ['effort', 'accept', String(effort?.id)]
  expect(await client.user.json(accept)).toMatchObject({ changed: ['check'] })
})
