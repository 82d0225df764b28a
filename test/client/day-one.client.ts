import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, test } from 'vitest'
import { RealClient } from './client.ts'
import type { StreamEvent } from './conversation.ts'
import { say, use } from './model-server.ts'
import { hasTmux } from './terminal.ts'

/** The real client with our hooks, in a project without any skill. */
async function hooked(): Promise<RealClient> {
  const client = await RealClient.start()
  await client.user.json(['init', '--scope', 'user', '--yes'])
  return client
}

const shown = (events: readonly StreamEvent[]): readonly unknown[] =>
  events.filter(({ subtype }) => subtype === 'informational').map(({ content }) => content)

const TOLD = /Holdfast: told the agent about .*what was asked and done before/

test('a session without any skill is killed, resumed and compacted, and gets its past back', async () => {
  await using client = await hooked()
  const write = use('Write', { file_path: join(client.project, 'login.html'), content: '<form>' })
  const slow = use('Bash', { command: 'timeout 60 tail -f /dev/null', description: 'Wait' })
  client.model.script('main', [write, slow])
  const first = client.open()
  void first.say('Make a login page').catch(() => undefined)
  const openCalls = async () =>
    (await client.user.json<{ open_calls: { tool: string }[] }[]>(['session', 'find']))[0]?.open_calls
  while ((await openCalls())?.[0]?.tool !== 'Bash') await sleep(100)
  const [session] = await client.user.json<{ native_id: string }[]>(['session', 'list'])
  await first.kill('SIGKILL').catch(() => undefined)

  expect(await client.user.json(['session', 'list'])).toMatchObject([
    { about: 'Make a login page', state: 'killed', resume: `claude --resume ${session?.native_id}` },
  ])
  client.model.script('main', [say('I looked.'), say('And now?')])
  client.model.script('compaction', [say('<analysis>-</analysis><summary>the summary</summary>')])
  const resumed = client.open({ resume: session?.native_id ?? '' })
  await resumed.say('Go on')
  const after = client.model.last()
  expect(after.mentions('outcome is unknown')).toBe(true)
  expect(after.mentions('- Bash timeout 60 tail -f /dev/null (started')).toBe(true)
  await resumed.say('/compact')
  await resumed.say('And then')
  const { events } = await resumed.end()
  const compacted = client.model.last()
  const told = compacted.systemTexts().join('\n')
  expect(told).toContain('- Make a login page')
  expect(told).toContain('- login.html')
  expect(told).toContain('- I looked.')
  // A headless client shows what a compaction gave back, and a terminal also what a resume did.
  expect(shown(events).filter((line) => TOLD.test(String(line)))).toHaveLength(1)
})

test('a terminal shows one line of the recap', async ({ skip }) => {
  skip(!hasTmux, 'there is no tmux')
  await using client = await hooked()
  client.model.script('main', [say('Made.')])
  const { sessionId } = await client.run('Make a login page')
  client.model.script('main', [say('Going on.')])
  using terminal = client.inTerminal('Go on', ['--resume', sessionId])
  expect(await terminal.shows('Holdfast: told the agent about')).toContain('what was asked and done before')
})

test('our commands in the client report, carry on and pause as the user says, and the model cannot call them', async () => {
  await using client = await hooked()
  await client.user.json(['skill', 'new', 'ship', '--notation', 'steps'])
  const commands = join(client.user.clientConfig, 'commands')
  expect(readdirSync(commands)).toContain('holdfast-pause.md')
  client.model.script('main', [say('Begun.')])
  await client.run('/ship a login page')

  client.model.script('main', [say('Shown.')])
  await client.run('/holdfast-status')
  expect(client.model.last().mentions('a login page')).toBe(true)
  expect(client.model.last().mentions('next:')).toBe(true)

  client.model.script('main', [say('Going on.')])
  await client.run('/holdfast-continue')
  expect(client.model.last().mentions('Tracking effort')).toBe(true)

  client.model.script('main', [say('Paused.')])
  const { events } = await client.run('/holdfast-pause 10m')
  expect(shown(events).join('\n')).toMatch(/Holdfast: enforcement is paused; the pause ends in /)
  expect(await client.user.json(['status'])).toMatchObject({ paused: true })
  const opened = await client.user.json<{ payload: object }[]>(['ledger', '--type', 'door.opened'])
  expect(opened.at(-1)).toMatchObject({ payload: { by: 'user', how: 'prompt' } })

  client.model.script('main', [say('Over.')])
  await client.run('/holdfast-pause off')
  expect(await client.user.json(['status'])).toMatchObject({ paused: false })

  // A client that an agent starts has no user.
  const script = client.write('ask.sh', `'${inject('clientProgram')}' -p '/holdfast-pause 1d' </dev/null\n`)
  const ask = use('Bash', { command: `sh ${script}`, description: 'Ask' })
  client.model.script('main', [ask, say('Nested.'), say('Tried.')])
  await client.run('Try it')
  expect(client.model.requests.some((one) => one.mentions('only the user can loosen the rules'))).toBe(true)
  expect(await client.user.json(['status'])).toMatchObject({ paused: false })

  await client.user.json(['uninstall', '--scope', 'user'])
  expect(existsSync(commands)).toBe(false)
})

test('a skill that others wrote is adopted in the client, held to its steps, and given up', async () => {
  await using client = await hooked()
  const essay = '---\nname: essay\ndescription: Writes essays.\n---\n## Step 1: Read\n\n## Step 2: Write\n'
  client.write('.claude/skills/essay/SKILL.md', essay)
  client.model.script('main', [say('Listed.')])
  await client.run('/holdfast-adopt')
  expect(client.model.last().mentions('essay')).toBe(true)

  client.model.script('main', [say('Adopted.')])
  await client.run('/holdfast-adopt essay')
  expect(client.model.last().mentions('Adopted: essay.')).toBe(true)
  const overlay = join(client.project, '.holdfast/skills/essay.yaml')
  expect(existsSync(overlay)).toBe(true)

  // The agent wants to stop at once: it is told what is open, obeys, and may stop then.
  const run = (command: string) => use('Bash', { command, description: 'Go on' })
  client.model.script('main', [
    say('Done!'),
    run('holdfast step go 1 && holdfast step done && holdfast step go 2 && holdfast step done'),
    say('Now it is done.'),
  ])
  await client.run('/essay on rain')
  const efforts = await client.user.json<object[]>(['effort', 'list', '--all'])
  expect(efforts).toMatchObject([{ skill: 'essay', lifecycle: 'finished' }])
  expect(client.model.requests.some((one) => one.mentions('of essay is still open at:'))).toBe(true)

  client.model.script('main', [say('Given up.')])
  await client.run('/holdfast-adopt essay --remove')
  expect(existsSync(overlay)).toBe(false)
})
