import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { findHome } from '../../src/daemon/home.ts'
import { PACKAGED } from '../overlays/packaged.ts'
import { RealClient } from './client.ts'
import { say, type Turn, use } from './model-server.ts'

/** The real client of a user who has a skill of somebody else, with the overlay of the package in a folder. */
async function withSkill(skill: string, folderFor: (client: RealClient) => string): Promise<RealClient> {
  const client = await RealClient.start()
  const packaged = PACKAGED.find(({ key }) => key === skill)
  if (packaged === undefined) throw new Error(`There is no overlay ${skill}.`)
  put(join(client.user.clientConfig, 'skills', skill, 'SKILL.md'), packaged.skeleton)
  put(join(folderFor(client), `${skill}.yaml`), packaged.text)
  await client.user.json(['init', '--scope', 'user', '--yes'])
  return client
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const run = (command: string): Turn => use('Bash', { command, description: 'Go on' })

/** What an agent does that takes a text at its word, and fills in what it owes; done if the text names nothing. */
function obey(text: string): Turn {
  const [, command] = /(?: Next: run |^next:\s+)(\S*holdfast .*?)(?:\. Then: .*)?$/m.exec(text) ?? []
  return command === undefined ? say('Done.') : run(command.replaceAll('____', 'the output shows it'))
}

/** A model that begins with the code, then writes a test, and obeys what refuses it; returns what it was told. */
function playHasty(client: RealClient): readonly string[] {
  const write = (path: string): Turn =>
    use('Write', { file_path: join(client.project, path), content: 'it works\n' })
  const wishes = [write('src/app.ts'), write('src/app.test.ts')]
  const told: string[] = []
  client.model.script('main', (request) => {
    const results = request.toolResults()
    const last = results.at(-1)
    const words = request.lastUserText()
    // The client passes on why a turn may not end as words of the user.
    const refusal = last?.isError === true ? last.text : words.includes('Stop hook feedback') ? words : ''
    if (refusal !== '' && !told.includes(refusal)) {
      told.push(refusal)
      return obey(refusal)
    }
    const isWritten = results.some(({ text }) => /created successfully at: \S+src\/app\.ts /.test(text))
    if (!isWritten) return wishes.shift() ?? write('src/app.ts')
    if (last?.tool !== 'Write') return obey(last?.text ?? '')
    return words === 'Go on.' ? run('holdfast step --effort 2') : say('Done.')
  })
  return told
}

const states = (client: RealClient): readonly string[] =>
  client.model
    .last()
    .toolResults()
    .map(({ tool, isError }) => (isError ? `${tool} refused` : tool))

test('test-driven-development: code before a test is refused, and so is an early end', async () => {
  await using client = await withSkill('test-driven-development', ({ project }) =>
    join(project, '.holdfast/skills'),
  )
  const told = playHasty(client)
  const talk = client.open({ env: client.holdfastOnPath() })
  await talk.say('/test-driven-development a login')
  await talk.end()
  const early = ['Write refused', 'Bash', 'Write', 'Write refused', 'Bash', 'Write']
  expect(states(client)).toEqual([...early, 'Bash', 'Bash'])
  expect(told[0]).toContain('src/app.ts may be changed only from phase "2: Write minimal code" on')
  expect(told[2]).toContain('still open at: "2: Write minimal code"')
  expect(await client.user.json(['effort', 'show', '2'])).toMatchObject({ lifecycle: 'finished' })
})

test('systematic-debugging: a fix before the root cause is refused until the cause is written down', async () => {
  await using client = await withSkill('systematic-debugging', ({ user }) => findHome(user.env).overlays)
  const told = playHasty(client)
  const talk = client.open({ env: client.holdfastOnPath() })
  await talk.say('/systematic-debugging it crashes')
  await talk.say('Go on.')
  await talk.end()
  const begun = ['Write refused', 'Bash', 'Write', 'Write refused', 'Bash', 'Write refused', 'Bash', 'Write']
  expect(states(client)).toEqual([...begun, 'Bash', 'Bash', 'Bash'])
  expect(told[0]).toContain('src/app.ts may be changed only from phase "3: Test one hypothesis" on')
  expect(told[1]).toContain('"root_cause":"____"')
  expect(await client.user.json(['effort', 'show', '2'])).toMatchObject({ lifecycle: 'finished' })
})
