import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { RealClient } from './client.ts'
import { say, use } from './model-server.ts'

/** The real client with our hooks, in a project with a skill that has steps. */
async function working(env: Readonly<Record<string, string>> = {}) {
  const client = await RealClient.start()
  await client.user.json(['daemon', 'start'], { env })
  await client.user.json(['skill', 'new', 'deploy', '--notation', 'steps'])
  await client.user.json(['init', '--scope', 'user', '--yes'])
  const step = (name: string) => join(client.project, '.claude/skills/deploy/steps', `${name}.md`)
  const read = (name: string) => use('Read', { file_path: step(name) })
  const efforts = () => client.user.json<{ id: number; agent_id: string | null }[]>(['effort', 'find-active'])
  const terminal = (words: readonly string[]) =>
    client.user.json<Continued>(['session', 'continue', ...words])
  return { client, read, efforts, terminal }
}

interface Continued {
  readonly state: string
  readonly resume: string | null
  readonly markdown: string
}

test('a terminal takes nothing from a running client, unless it says so, and then the client learns it', async () => {
  const { client, read, efforts, terminal } = await working()
  await using _ = client
  client.model.script('main', [read('understand'), say('Understood.'), read('check'), say('Refused.')])
  const conversation = client.open()
  await conversation.say('/deploy it')
  const [effort] = await efforts()
  const id = String(effort?.id)

  const shown = await terminal([])
  await conversation.say('Go on')
  const [, gated] = client.model.last().toolResults()
  expect(gated).toMatchObject({ tool: 'Read', isError: true })

  const taken = await terminal([id, '--take'])
  client.model.script('main', [say('I see.')])
  await conversation.say('And now')
  const { sessionId } = await conversation.end()

  expect(shown).toMatchObject({ state: 'shown', resume: `claude --resume ${sessionId}` })
  expect(shown.markdown).toContain(`holdfast session continue ${id} --take`)
  expect(taken.state).toBe('continued')
  const lost = `no longer has effort ${id} of deploy`
  expect(client.model.last().mentions(lost)).toBe(true)
  expect(client.model.last().mentions(`holdfast session continue ${id} --take`)).toBe(true)
})

test('a silent client that runs loses its effort to one that continues it, and learns it', async () => {
  const { client, read, efforts } = await working({ HOLDFAST_STALE_SECONDS: '1' })
  await using _ = client
  client.model.script('main', [read('understand'), say('Understood.')])
  const first = client.open()
  await first.say('/deploy it')
  const [effort] = await efforts()
  await sleep(2000)
  client.model.script('main', [say('I go on.')])
  const second = client.open()
  await second.say(`/deploy --continue ${effort?.id}`)
  expect(client.model.last().mentions(`tracking effort ${effort?.id} of deploy`)).toBe(true)

  client.model.script('main', [say('I see.')])
  await first.say('And now')
  expect(client.model.last().mentions(`no longer has effort ${effort?.id} of deploy`)).toBe(true)
  await second.end()
  await first.end()
  expect(await efforts()).toHaveLength(1)
})

test('an agent is known by its environment, and its next session continues its effort', async () => {
  const { client, read, efforts } = await working()
  await using _ = client
  const env = { HOLDFAST_AGENT: 'fox', ...client.holdfastOnPath() }
  const log = use('Bash', { command: 'holdfast log "Seen"', description: 'Log' })
  client.model.script('main', [read('understand'), log, say('Understood.')])
  await client.run('/deploy it', { env })
  expect(await efforts()).toMatchObject([{ agent_id: 'fox' }])
  expect(client.model.last().toolResults().at(-1)).toMatchObject({ tool: 'Bash', isError: false })

  client.model.script('main', [read('check'), say('Refused.')])
  await client.run('Go on', { env })
  expect(client.model.last().toolResults()).toMatchObject([{ tool: 'Read', isError: true }])
  expect(await efforts()).toHaveLength(1)
})
