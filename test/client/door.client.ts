import { expect, test } from 'vitest'
import { RealClient } from './client.ts'
import { say, use } from './model-server.ts'
import { hasTmux } from './terminal.ts'

const run = (command: string) => use('Bash', { command, description: 'Run it' })

/** What an agent tries, and how the client lets tools run. */
const PAUSE = 'holdfast pause 5m'
/** Code of another language, which nobody reads before it runs. */
const HIDDEN = `node -e 'process.exitCode = require("child_process").spawnSync("holdfast", ["pause", "5m"], { stdio: "inherit" }).status'`
const MODES = ['default', 'acceptEdits', 'dontAsk', 'bypassPermissions'] as const

/** As root, the client bypasses permissions only in a sandbox; this variable claims one. */
const FOR_ROOT = { IS_SANDBOX: '1' }

/** The real client at a level, with hooks from `holdfast init`. */
async function clientAt(level: string): Promise<RealClient> {
  const client = await RealClient.start()
  await client.user.json(['init', '--scope', 'user', '--yes'])
  await client.user.json(['enforce', level])
  return client
}

const doors = async (client: RealClient, type: string) =>
  (
    await client.user.json<{ payload: { by: string; command?: string; may_run?: string } }[]>([
      'ledger',
      '--type',
      `door.${type}`,
    ])
  ).map(({ payload: { by, command, may_run } }) => `${may_run ?? command} by ${by}`)

const isPaused = async (client: RealClient): Promise<boolean> =>
  (await client.user.json<{ paused_until: string | null }>(['status'])).paused_until !== null

test.for(MODES)('headless, nobody is asked, so an agent cannot pause in mode %s', async (mode) => {
  await using client = await clientAt('enforce')
  client.model.script('main', [run(PAUSE), run(HIDDEN), say('Done.')])
  await client.run('Pause it', {
    env: { ...client.holdfastOnPath(), ...FOR_ROOT },
    args: ['--permission-mode', mode],
  })
  const results = client.model.last().toolResults()
  expect(results.map(({ isError }) => isError)).toEqual([true, true])
  expect(results[1]?.text).toContain('Only the user can loosen the rules.')
  expect(await isPaused(client)).toBe(false)
  expect(await doors(client, 'refused')).toEqual([`${PAUSE} by agent`])
  expect(await doors(client, 'opened')).not.toContain(`${PAUSE} by agent`)
})

test('at strict an agent and its sub-agent are refused, and read why', async () => {
  await using client = await clientAt('strict')
  client.model.script('agent', [run(PAUSE), say('No.')])
  const give = { description: 'Pause', prompt: 'Pause it', subagent_type: 'general-purpose' }
  client.model.script('main', [use('Agent', { ...give, run_in_background: false }), run(PAUSE), say('Done.')])
  await client.run('Pause it', {
    env: { ...client.holdfastOnPath(), ...FOR_ROOT },
    args: ['--permission-mode', 'bypassPermissions'],
  })
  for (const result of [client.model.last('agent').toolResults()[0], client.model.last().toolResults()[1]])
    expect(result).toMatchObject({
      isError: true,
      text: expect.stringContaining(
        'only the user can loosen the rules. Next: ask the user to run holdfast pause 5m',
      ),
    })
  expect(await isPaused(client)).toBe(false)
})

// Only a terminal has somebody to ask; test/flows/doors.test.ts covers machines without one.
test.for([
  { answer: 'yes', key: 'Enter', opens: true },
  { answer: 'no', key: 'Escape', opens: false },
])('in a terminal the user is asked, and $answer is the last word', async ({ key, opens }, { skip }) => {
  skip(!hasTmux, 'there is no tmux')
  await using client = await clientAt('enforce')
  const turns = [run(PAUSE), say('Done.')]
  client.model.script('main', () => turns.shift() ?? say('Done.'))
  using terminal = client.inTerminal('Pause it')
  await terminal.shows('agent wants to loosen its own rules')
  expect(await isPaused(client)).toBe(false)
  terminal.press(key)
  await terminal.shows(opens ? 'Done.' : 'nterrupted')
  expect(await isPaused(client)).toBe(opens)
  expect((await doors(client, 'opened')).includes(`${PAUSE} by user`)).toBe(opens)
})
