import { expect, test } from 'vitest'
import { SHIPPED_MODES } from '../../src/model/shipped-modes.ts'
import { RealClient } from './client.ts'
import type { StreamEvent } from './conversation.ts'
import { say, use } from './model-server.ts'

const SHIP = '---\nname: ship\ndescription: Ships.\n---\n\nShip it: $ARGUMENTS\n'

/** The real client with our hooks, and a skill with a plan. */
async function hooked(): Promise<RealClient> {
  const client = await RealClient.start()
  await client.user.json(['init', '--scope', 'user', '--yes'])
  client.write('.claude/skills/ship/SKILL.md', SHIP)
  client.write('.claude/skills/ship/steps/look.md', '---\nconsumes: [user-request]\nproduces: [view]\n---\n')
  client.write('.claude/skills/ship/steps/deep.md', '---\nconsumes: [view]\nonly: full\n---\n')
  return client
}

const shown = (events: readonly StreamEvent[]): string =>
  events.flatMap(({ subtype, content }) => (subtype === 'informational' ? [String(content)] : [])).join('\n')

const textOf = (tag: string): string => SHIPPED_MODES.find((mode) => mode.tag === tag)?.text ?? ''

test('tags set modes: the model reads them, the effort begins in quick mode, and a compaction keeps them', async () => {
  await using client = await hooked()
  client.model.script('main', [say('Begun.'), say('Going on.')])
  client.model.script('compaction', [say('<analysis>-</analysis><summary>the summary</summary>')])
  const session = client.open()
  await session.say('/ship a login page #qlight #ver')
  const told = client.model.last()
  for (const tag of ['qlight', 'ver']) expect(told.mentions(textOf(tag))).toBe(true)
  expect(told.mentions('Steps: look.')).toBe(true)
  const { efforts } = await client.user.json<{ efforts: readonly object[] }>(['status'])
  expect(efforts).toMatchObject([
    { mode: 'quick', request: 'a login page', metadata: { modes: ['qlight', 'ver'] } },
  ])
  expect((await client.user.run(['status'])).stdout).toContain('mode quick #qlight #ver')
  await session.say('/compact')
  await session.say('And then')
  expect(client.model.last().systemTexts().join('\n')).toContain(textOf('ver'))
  await session.end()
})

test('a short prompt becomes words for the model and for the user, once the project has a session file', async () => {
  await using client = await hooked()
  client.model.script('main', [say('What?')])
  const before = await client.run('s')
  expect([client.model.last().mentions('shortcut s'), shown(before.events)]).toEqual([false, ''])
  client.write('agents/session.md', '# Session\n')
  client.model.script('main', [say('Shown.')])
  const { events } = await client.run('s')
  const words = 'Shortcut s (status): Show the user what this prints, and wait: '
  expect(client.model.last().mentions(words.replace('S', 's'))).toBe(true)
  expect(shown(events)).toContain(words.replace('S', 's'))
})

test('a skill is called without a question once init allows it', async () => {
  await using client = await hooked()
  // The client asks only about skills that bring more than text.
  client.write('.claude/skills/ship/SKILL.md', SHIP.replace('\n---\n', '\nallowed-tools: Bash(ls *)\n---\n'))
  const calls = async () => {
    client.model.script('main', [use('Skill', { skill: 'ship', args: 'it' }), say('Done.')])
    await client.command('-p', 'Ship it', '--allowedTools', 'Read')
    return client.model
      .last()
      .toolResults()
      .map(({ isError }) => isError)
  }
  expect(await calls()).toEqual([true])
  await client.user.json(['init', '--scope', 'user', '--allow-skills', '--yes'])
  expect(await calls()).toEqual([false])
})
