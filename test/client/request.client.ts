import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { stepToDo } from '../../src/rules/told/words.ts'
import { RealClient } from './client.ts'
import { say, use } from './model-server.ts'

interface Active {
  readonly id: number
  readonly request: string
  readonly task_id: string
}

test('another request in a new session is other work, which is told of the open one and can resume it', async () => {
  await using client = await RealClient.start()
  await client.user.json(['skill', 'new', 'ship', '--notation', 'steps'])
  await client.user.json(['init', '--scope', 'user', '--yes'])
  const step = (name: string) => join(client.project, '.claude/skills/ship/steps', `${name}.md`)
  const read = (name: string) => use('Read', { file_path: step(name) })
  const efforts = () => client.user.json<Active[]>(['effort', 'find-active'])
  const log = (effort: number) =>
    use('Bash', { command: `holdfast log "Looked" --effort ${effort}`, description: 'Log' })
  const env = client.holdfastOnPath()

  client.model.script('main', [read('understand'), say('Understood.')])
  await client.run('/ship a login page', { env })
  const [login] = await efforts()
  client.model.script('main', [read('work'), log((login?.id ?? 0) + 1), say('Refused.')])
  await client.run('/ship a totally different thing', { env })

  const [skipped] = client.model.last().toolResults()
  expect(skipped).toMatchObject({ tool: 'Read', isError: true })
  expect(skipped?.text).toContain(stepToDo('understand', step('understand')))
  expect(client.model.last().mentions(`effort ${login?.id} of ship, "a login page"`)).toBe(true)
  expect(client.model.last().mentions(`holdfast session continue ${login?.id}`)).toBe(true)
  const [other, first] = await efforts()
  expect([other?.request, first?.request]).toEqual(['a totally different thing', 'a login page'])
  expect(other?.task_id).toContain(join(client.project, '.holdfast/tasks/'))
  // Nothing of ours lies in the root of the repository.
  expect(readdirSync(client.project).filter((name) => /^\d+_/.test(name))).toEqual([])

  client.model.script('main', [read('work'), say('Went on.')])
  await client.run(`/ship --continue ${login?.id}`, { env })
  expect(client.model.last().toolResults().at(-1)).toMatchObject({ tool: 'Read', isError: false })
  expect(await efforts()).toHaveLength(2)
})
