import { expect, test } from 'vitest'
import { COMMAND_DOORS, isDoor } from '../../src/model/door.ts'
import { shellWord } from '../../src/model/shell/word.ts'
import { levelsPage } from '../../scripts/levels-page.ts'
import { DOOR_EXAMPLES } from '../door-examples.ts'
import type { RealClient } from './client.ts'
import { flowClient, FREELY, launcherOf, lockedClient, run, whyNot } from './locked.ts'
import type { ToolResult } from './model-request.ts'
import { say, type Turn } from './model-server.ts'
import { hasTmux } from './terminal.ts'

/** What the client does when the agent calls a door, as the page about doors says it. */
type Outcome = 'denied, nobody can be asked' | 'refused' | 'runs'

const LEVELS = ['enforce', 'strict', 'locked'] as const
type At = (typeof LEVELS)[number]
const NAMES = Object.keys(DOOR_EXAMPLES)
/** A part of each question, as the agent reads it where nobody can be asked. */
const QUESTION = 'Say yes only'

const wordsOf = (name: string): readonly string[] => [...name.split(' '), ...(DOOR_EXAMPLES[name] ?? [])]

/** A call of each door, as the model makes it. */
const callsIn = (client: RealClient): readonly Turn[] =>
  NAMES.map((name) => run([launcherOf(client), ...wordsOf(name).map(shellWord)].join(' ')))

async function clientAt(level: At): Promise<RealClient> {
  if (level === 'locked') return await lockedClient()
  const client = await flowClient()
  await client.user.json(['init', '--scope', 'user', '--yes'])
  await client.user.json(['enforce', level])
  return client
}

/** What an opened door would change. */
async function rulesOf(client: RealClient) {
  const opened = await client.user.json<readonly unknown[]>(['ledger', '--type', 'door.opened'])
  const { paused_until } = await client.user.json<{ paused_until: string | null }>(['status'])
  const { level } = await client.user.json<{ level: string }>(['enforce'])
  return { opened: opened.length, paused_until, level }
}

/** All doors in one run of the client that nobody watches. */
async function headless(client: RealClient): Promise<readonly Outcome[]> {
  client.model.script('main', [...callsIn(client), say('Done.')])
  const conversation = client.open(FREELY)
  await conversation.say('/flow')
  await conversation.end()
  return client.model
    .last()
    .toolResults()
    .map(({ isError, text }) =>
      !isError ? 'runs' : text.includes(QUESTION) ? 'denied, nobody can be asked' : 'refused',
    )
}

/** The same in a terminal, at levels that ask nobody. */
async function inTerminal(client: RealClient): Promise<readonly Outcome[]> {
  const calls = callsIn(client)
  let results: readonly ToolResult[] = []
  client.model.script('main', (request) => {
    results = request.toolResults()
    return calls[results.length] ?? say('All are tried.')
  })
  using terminal = client.inTerminal('/flow')
  await terminal.shows('All are tried.')
  return results.map(({ isError }) => (isError ? 'refused' : 'runs'))
}

const seen = new Map<string, readonly Outcome[]>()
const WAYS = { headless, 'in a terminal': inTerminal }

test('each door has an example here, which is one', () => {
  expect(NAMES.filter((name) => !isDoor(wordsOf(name)))).toEqual([])
  const others = [...COMMAND_DOORS.keys()].filter((name) => !NAMES.includes(name))
  expect(others.filter((name) => levelsPage('').includes(`| \`${name}\` |`))).toEqual([])
})

/** What a terminal asks at enforce, with yes and no, is in door.client.ts. */
const CASES = LEVELS.flatMap((level) =>
  Object.entries(WAYS).map(([way, tried]) => ({ level, way, tried })),
).filter(({ level, way }) => level !== 'enforce' || way === 'headless')

test.for(CASES)('at $level, $way, no door opens for an agent', async ({ level, way, tried }, { skip }) => {
  skip(level === 'locked' && whyNot !== undefined, whyNot)
  skip(way === 'in a terminal' && !hasTmux, 'there is no tmux')
  await using client = await clientAt(level)
  const before = await rulesOf(client)
  const outcomes = await tried(client)
  expect(NAMES.filter((_, at) => outcomes[at] === undefined || outcomes[at] === 'runs')).toEqual([])
  expect(await rulesOf(client)).toEqual(before)
  seen.set(`${level}, ${way}`, outcomes)
})

test('the page about doors says what was seen', async ({ skip }) => {
  skip(seen.size < CASES.length, 'some doors could not be tried')
  const heads = ['door', ...seen.keys()]
  const rows = NAMES.map((name, at) => [
    `\`holdfast ${wordsOf(name).map(shellWord).join(' ')}\``,
    ...[...seen.values()].map((outcomes) => outcomes[at]),
  ])
  const lines = [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  await expect([ABOUT, '', ...lines, ''].join('\n')).toMatchFileSnapshot('../../docs/reference/doors.md')
})

const ABOUT = `# Doors, as tried

<!-- Made by \`npm run test:client -- test/client/doors.client.ts -u\`; do not edit. -->

What Claude Code does when an agent calls each [door](../levels.md#doors): the real client, with a model that we script. Headless, nobody can be asked; in a terminal at \`enforce\`, the client asks the user.`
