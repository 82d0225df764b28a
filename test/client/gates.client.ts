import { expect, test } from 'vitest'
import { RealClient } from './client.ts'
import type { ModelRequest } from './model-request.ts'
import { say, type Turn, use } from './model-server.ts'
import { inOurVoice } from '../../src/model/text/voice.ts'
import { changedOnlyFrom, stillOpen } from '../../src/rules/told/words.ts'

const run = (command: string) => use('Bash', { command, description: 'Run it' })

/** The action that a refusal names, done literally. */
function obey(text: string): Turn {
  const [, verb, what = ''] = /Next: (run|read) (\S.*?)(?:\. Then: .*)?\s*$/m.exec(text) ?? []
  return verb === 'read' ? use('Read', { file_path: what }) : run(what)
}

/** The real client with hooks from `holdfast init`, in a project with these files. */
async function hookedIn(files: Readonly<Record<string, string>>) {
  const client = await RealClient.start()
  for (const [path, text] of Object.entries(files)) client.write(path, text)
  await client.user.json(['init', '--scope', 'user', '--yes'])
  const ledger = (type: string) =>
    client.user.json<{ skill: string; payload: Record<string, unknown> }[]>(['ledger', '--type', type])
  return { client, ledger }
}

test('production code is refused before a failing test was seen, and whoever obeys gets there', async () => {
  const { client, ledger } = await hookedIn({
    'check.sh': 'grep -q good src/app.txt\n',
    'src/app.txt': 'bad\n',
    '.claude/skills/tdd/SKILL.md': '---\nname: tdd\ndescription: Tests first.\n---\n\nTest first.\n',
    '.claude/skills/tdd/holdfast.yaml': `phases:
  - {label: "1", name: Red, limit: 5, proof: {failing: {command: sh check.sh, expect: fail}}}
  - {label: "2", name: Green, writes: [src/**], proof: {passing: {command: sh check.sh}}}
  - {label: "3", name: Refactor, next: {ok: end, again: "1"}}
`,
  })
  await using _ = client
  const write = run('echo good > src/app.txt')
  const results = () => client.model.last().toolResults()
  client.model.script('agent', [
    use('Write', { file_path: `${client.project}/src/b.txt`, content: 'b\n' }),
    say('No.'),
  ])
  const delegate = { description: 'Write', prompt: 'Write b', subagent_type: 'general-purpose' }
  const turns: (() => Turn)[] = [
    () => use('Agent', { ...delegate, run_in_background: false }),
    () => write,
    () => obey(results().at(-1)?.text ?? ''),
    () => write,
    () => obey(results().at(-1)?.text ?? ''),
    () => write,
    () => run('holdfast step --effort 1'),
  ]
  client.model.script('main', () => turns.shift()?.() ?? say('Done.'))

  await client.run('/tdd the app', { env: client.holdfastOnPath() })

  expect(
    results()
      .map(({ isError }) => isError)
      .slice(0, 6),
  ).toEqual([false, true, false, true, false, false])
  const told = (now: string) => inOurVoice(changedOnlyFrom('src/app.txt', 'phase "2: Green"', now))
  expect(results()[1]?.text).toContain(told('no phase is current'))
  expect(results()[3]?.text).toContain(told('it is "1: Red"'))
  const [refused] = client.model.last('agent').toolResults()
  expect(refused).toMatchObject({ tool: 'Write', isError: true })
  expect(refused?.text).toContain('src/b.txt may be changed only from phase "2: Green" on')
  const rules = (await ledger('tool.refused')).map(({ payload: { rule } }) => rule)
  expect(rules).toEqual(['write-gate', 'write-gate', 'write-gate'])
})

const STEP = (fields: string) => `---\n${fields}\n---\n`

test('a turn ends only once the open steps were named, and a question is free', async () => {
  const { client, ledger } = await hookedIn({
    '.claude/skills/ship/SKILL.md': '---\nname: ship\ndescription: Ships.\n---\n\nShip it.\n',
    '.claude/skills/ship/holdfast.yaml': 'hold: stop\n',
    '.claude/skills/ship/steps/look.md': STEP('consumes: [user-request]\nproduces: [view]'),
    '.claude/skills/ship/steps/act.md': STEP('consumes: [view]\nproduces: [result]'),
  })
  await using _ = client
  const look = `${client.project}/.claude/skills/ship/steps/look.md`
  const heard: string[] = []
  const held = (request: ModelRequest) =>
    request.userTexts().findLast((text) => text.includes('is still open at'))
  const turns: ((request: ModelRequest) => Turn)[] = [
    () => use('Read', { file_path: look }),
    () => say('I am done.'),
    (request) => {
      heard.push(held(request) ?? '')
      return obey(heard[0] ?? '')
    },
    () => say('Now I am done.'),
    () => say('It is a ship.'),
  ]
  client.model.script('main', (request) => turns.shift()?.(request) ?? say('Unasked.'))

  const conversation = client.open()
  await conversation.say('/ship it')
  await conversation.say('What is a ship?')
  await conversation.end()

  const [effort] = await client.user.json<{ id: number }[]>([
    'query',
    'select id from efforts where ordinal = 1',
  ])
  expect(heard[0]).toContain(inOurVoice(stillOpen(effort?.id ?? 0, 'ship', '"act"')))
  expect(client.model.last().toolResults()).toMatchObject([
    { tool: 'Read', isError: false },
    { tool: 'Read', isError: false },
  ])
  expect(turns).toEqual([])
  expect(await ledger('turn.refused')).toMatchObject([{ skill: 'ship', payload: { rule: 'stop-gate' } }])
})
