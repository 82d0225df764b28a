import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RealClient } from './client.ts'
import type { StreamEvent } from './conversation.ts'
import { say, use } from './model-server.ts'
import { hasTmux } from './terminal.ts'

/** The real client with our hooks, in a project whose skill has the steps understand, work and check. */
async function gated() {
  const client = await RealClient.start()
  await client.user.json(['skill', 'new', 'deploy', '--notation', 'steps'])
  await client.user.json(['init', '--scope', 'user', '--yes'])
  const read = (name: string) =>
    use('Read', { file_path: join(client.project, '.claude/skills/deploy/steps', `${name}.md`) })
  return { client, read }
}

/** What the client shows to the user besides the conversation. */
const shown = (events: readonly StreamEvent[]): readonly unknown[] =>
  events.filter(({ subtype }) => subtype === 'informational').map(({ content }) => content)

const REFUSED = 'Holdfast: refused Read for deploy: Step "check" needs "change"'
const GIVEN_BACK =
  /Holdfast: gave the agent back effort \d+ of deploy: 0 of 3 steps done, started: understand, next: work\./

test('a person sees one line for each refusal and each recap, and the agent reads the name too', async () => {
  const { client, read } = await gated()
  await using _ = client
  client.model.script('main', [read('understand'), read('check'), say('Understood.'), say('Going on.')])
  client.model.script('compaction', [say('<analysis>-</analysis><summary>the summary</summary>')])

  const conversation = client.open()
  await conversation.say('/deploy it')
  const [, refusal] = client.model.last().toolResults()
  await conversation.say('/compact')
  await conversation.say('Go on')
  const { events } = await conversation.end()

  expect(refusal?.text).toContain('Holdfast: step "check" needs')
  expect(shown(events)).toEqual([
    expect.stringContaining(`PreToolUse:Read says: ${REFUSED}`),
    expect.stringMatching(GIVEN_BACK),
  ])
})

test('a project that only observes shows nothing', async () => {
  const { client, read } = await gated()
  await using _ = client
  await client.user.json(['enforce', 'observe'])
  client.model.script('main', [read('check'), say('Read.')])

  const { events } = await client.run('/deploy it')

  expect(client.model.last().toolResults()).toMatchObject([{ isError: false }])
  expect(shown(events)).toEqual([])
})

// A client draws these lines only in a terminal; the story above covers machines without one.
test('a terminal shows the line of the recap and of the refusal', async ({ skip }) => {
  skip(!hasTmux, 'there is no tmux')
  const { client, read } = await gated()
  await using _ = client
  client.model.script('main', [read('understand'), say('Understood.')])
  await client.run('/deploy it')
  client.model.script('main', [read('check'), say('Refused.')])

  using terminal = client.inTerminal('/deploy it')
  const screen = await terminal.shows(REFUSED)

  expect(screen).toContain('SessionStart:startup says: Holdfast: told the agent about unfinished efforts.')
  expect(screen.replaceAll(/\s+/g, ' ')).toMatch(
    /To resume: \/deploy --continue \d+ \(effort \d+ of deploy, "it"\)/,
  )
})
