import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RealClient } from './client.ts'
import { say, use } from './model-server.ts'
import { inOurVoice } from '../../src/model/text/voice.ts'
import { needs, productOf } from '../../src/rules/told/words.ts'

test('a step that the user mentions is attached, and the model reads that it comes too early', async () => {
  const client = await RealClient.start()
  await using _ = client
  await client.user.json(['skill', 'new', 'deploy', '--notation', 'steps'])
  await client.user.json(['init', '--scope', 'user', '--yes'])
  const steps = '.claude/skills/deploy/steps'
  client.model.script('main', [
    say('Ready.'),
    use('Bash', { command: `cat "$HOLDFAST_NOT_SET/${steps}/work.md"; true`, description: 'Look' }),
    use('Bash', { command: `find . -name check.md | xargs cat`, description: 'Look' }),
    say('Done.'),
  ])

  const conversation = client.open()
  await conversation.say('/deploy it')
  await conversation.say(`Look at @${steps}/check.md`)
  await conversation.end()

  expect(client.model.last().mentions(inOurVoice(needs('check', productOf('change', ['work']))))).toBe(true)
  expect(client.model.last().mentions('Advice only: the file came with the prompt.')).toBe(true)
  expect(client.model.last().toolResults().at(-1)).toMatchObject({ tool: 'Bash', isError: true })
  const ledger = await client.user.json<{ event_type: string; payload: object }[]>(['ledger'])
  expect(ledger).toContainEqual(
    expect.objectContaining({
      event_type: 'read.unresolved',
      payload: expect.objectContaining({ why: 'variable' }),
    }),
  )
})

test('the model gets the path of its run folder', async () => {
  const client = await RealClient.start()
  await using _ = client
  const folder = join(client.project, '.claude/skills/research')
  mkdirSync(folder, { recursive: true })
  const head = '---\nname: research\ndescription: Looks into it.\nuses_skill_run: true\n---\n'
  writeFileSync(join(folder, 'SKILL.md'), `${head}\nDo it.\n`)
  await client.user.json(['init', '--scope', 'user', '--yes'])
  client.model.script('main', [say('Done.')])

  await client.run('/research why')

  const [run] = await client.user.json<{ path: string; state: string }[]>(['run', 'list'])
  expect(run?.state).toBe('in-progress')
  expect(client.model.of('main')[0]?.mentions(`: ${run?.path}\n`)).toBe(true)
})
