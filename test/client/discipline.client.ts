import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { RealClient } from './client.ts'
import { say, type Turn, use } from './model-server.ts'

const GUIDE = readFileSync(new URL('../../docs/skills.md', import.meta.url), 'utf8')

/** A sidecar of the guide, with commands that need no npm. */
function sidecar(skill: string): string {
  const [, yaml = ''] = new RegExp(`\`\`\`yaml ${skill}/holdfast\\.yaml\\n([^]*?)\`\`\``).exec(GUIDE) ?? []
  expect(yaml.trim().split('\n').length).toBeLessThan(15)
  return yaml.replaceAll(/npm (test|run repro)( -w \$\{package\})?/g, 'sh check.sh')
}

const run = (command: string) => use('Bash', { command, description: 'Run it' })

/** The real client in a project whose skill has a sidecar of the guide. */
async function disciplined(skill: string) {
  const client = await RealClient.start()
  client.write(
    `.claude/skills/${skill}/SKILL.md`,
    `---\nname: ${skill}\ndescription: Is a discipline.\n---\n\nDo it.\n`,
  )
  client.write(`.claude/skills/${skill}/holdfast.yaml`, sidecar(skill))
  // The check fails until somebody writes the code.
  client.write('check.sh', 'grep -q works src/app.ts\n')
  for (const path of ['src/app.ts', 'test/app.test.ts', 'repro/steps.txt', 'packages/core/package.json'])
    client.write(path, 'nothing yet\n')
  await client.user.json(['init', '--scope', 'user', '--yes'])
  const write = (path: string, content: string) =>
    use('Write', { file_path: `${client.project}/${path}`, content })
  const read = (path: string) => use('Read', { file_path: `${client.project}/${path}` })
  const states = () =>
    client.model
      .last()
      .toolResults()
      .map(({ isError }) => (isError ? 'refused' : 'ok'))
  const text = (at: number) => client.model.last().toolResults()[at]?.text ?? ''
  const conversation = () => client.open({ env: client.holdfastOnPath() })
  return { client, write, read, states, text, conversation }
}

test('red, green, refactor: production code is refused before a failing test was seen, in every round', async () => {
  const { client, write, read, states, text, conversation } = await disciplined('tdd')
  await using _ = client
  client.model.script('main', [
    run('holdfast step go 1 --effort 2'),
    read('src/app.ts'),
    write('src/app.ts', 'it works\n'),
    write('test/app.test.ts', 'expect it to work\n'),
    run('holdfast prove failing_test --effort 2'),
    run('holdfast step go 2 --effort 2'),
    write('src/app.ts', 'it works\n'),
    run('holdfast prove tests_pass --effort 2 && holdfast step go 3 --effort 2'),
    run('holdfast step done --outcome again --effort 2'),
    write('src/app.ts', 'it works twice\n'),
    say('Done.'),
  ])
  const talk = conversation()
  await talk.say('/tdd a login')
  await talk.end()
  const refusedAt = states().flatMap((state, at) => (state === 'refused' ? [at] : []))
  expect(refusedAt).toEqual([2, 9])
  expect(text(2)).toContain('2: Green')
  expect(text(9)).toContain('2: Green')
})

test('root cause first: nothing is edited before the cause is confirmed, and a wrong one leads back', async () => {
  const { client, write, read, states, conversation } = await disciplined('root-cause')
  await using _ = client
  const cause = `--proof '{"cause": "a typo", "evidence": "line 3"}'`
  const result = `--proof '{"experiment": "fixed it by hand", "result": "it works"}'`
  client.model.script('main', [
    read('src/app.ts'),
    run('holdfast step go 1 --effort 2'),
    run('holdfast prove reproduced --effort 2 && holdfast step go 2 --effort 2'),
    run('echo fixed > src/app.ts'),
    run(`holdfast step done --effort 2 ${cause}`),
    run('holdfast step done --outcome again --effort 2'),
    run(`holdfast step done --effort 2 ${cause}`),
    run(`holdfast step done --effort 2 ${result}`),
    write('src/app.ts', 'it works\n'),
    run('holdfast prove fixed --effort 2 && holdfast step done --effort 2'),
    say('Done.'),
  ])
  const talk = conversation()
  await talk.say('/root-cause it crashes')
  await talk.end()
  expect(states()).toEqual(['ok', 'ok', 'ok', 'refused', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok'])
  expect(await client.user.json(['effort', 'show', '2'])).toMatchObject({ lifecycle: 'finished' })
})

/** What an agent does that takes a refusal at its word. */
function obey(refusal: string): Turn {
  const [, title] = / Next: do step "2": give it to 3 .* \(name "(.*?)" in each prompt\)/.exec(refusal) ?? []
  if (title !== undefined)
    return use('Agent', {
      description: 'Look',
      prompt: `${title}: look at packages/core and say what is wrong with it.`,
      subagent_type: 'general-purpose',
      run_in_background: false,
    })
  const [, command] = / Next: run (holdfast .*?)(?:\. Then: .*)?$/m.exec(refusal) ?? []
  if (command === undefined) throw new Error(`Nothing to do in: ${refusal}`)
  return run(command)
}

test('review before release: whoever obeys each refusal releases once two reviewers agree and the check passes', async () => {
  const { client, write, states, text, conversation } = await disciplined('release')
  await using _ = client
  client.write('check.sh', 'test -s packages/core/package.json\n')
  const tries = [run('echo Version 2 > CHANGELOG.md')]
  client.model.script('main', (request) => {
    const [last] = request.toolResults().slice(-1)
    if (last?.isError === true) return obey(last.text)
    if (last?.tool === 'Write') return say('Done.')
    return tries.shift() ?? write('CHANGELOG.md', 'Version 2\n')
  })
  client.model.script('agent', () => say('Nothing is wrong.'))
  const talk = conversation()
  await talk.say('/release version 2')
  await talk.end()
  const results = client.model.last().toolResults()
  // Build, review, two reviewers and the check, each after its refusal.
  expect(states()).toEqual([...Array.from({ length: 5 }, () => ['refused', 'ok']).flat(), 'ok'])
  expect(results.filter(({ tool }) => tool === 'Agent')).toHaveLength(2)
  for (const at of [0, 2, 4, 6, 8]) expect(text(at)).toContain('CHANGELOG.md may be changed only from')
  expect(readFileSync(`${client.project}/CHANGELOG.md`, 'utf8')).toBe('Version 2\n')
  expect(await client.user.json(['effort', 'show', '2'])).toMatchObject({ lifecycle: 'finished' })
})
