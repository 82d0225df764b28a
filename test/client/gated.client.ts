import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RealClient } from './client.ts'
import { say, use } from './model-server.ts'
import { inOurVoice } from '../../src/model/text/voice.ts'
import { needs, productOf, stepToDo } from '../../src/rules/told/words.ts'

/** The real client with hooks from `holdfast init`, in a project with a skill that has steps. */
async function gated() {
  const client = await RealClient.start()
  await client.user.json(['skill', 'new', 'deploy', '--notation', 'steps'])
  await client.user.json(['init', '--scope', 'user', '--yes'])
  const step = (name: string) => join(client.project, '.claude/skills/deploy/steps', `${name}.md`)
  const read = (name: string) => use('Read', { file_path: step(name) })
  const spans = () =>
    client.user.json<{ skill: string; status: string; steps: string[]; session_id: string }[]>([
      'rpc',
      'span.list',
    ])
  return { client, step, read, spans }
}

test('a skipped step is refused with the next action; in order, the model can read all steps', async () => {
  const { client, step, read, spans } = await gated()
  await using _ = client
  client.model.script('main', [
    read('check'),
    use('Bash', { command: `cat ${step('work')}`, description: 'Look' }),
    read('understand'),
    read('work'),
    read('check'),
    say('Done.'),
  ])

  const { sessionId } = await client.run('/deploy it')

  const [skipped, shelled, ...inOrder] = client.model.last().toolResults()
  expect(skipped).toMatchObject({ tool: 'Read', isError: true })
  expect(skipped?.text).toContain(inOurVoice(needs('check', productOf('change', ['work']))))
  expect(skipped?.text).toContain(`read ${step('understand')}`)
  expect(shelled).toMatchObject({ tool: 'Bash', isError: true })
  expect(inOrder.map(({ isError }) => isError)).toEqual([false, false, false])
  // The context of the model after the skill call.
  const [first] = client.model.of('main')
  expect(first?.mentions(stepToDo('understand', step('understand')))).toBe(true)
  expect(await spans()).toMatchObject([
    { skill: 'deploy', status: 'completed', steps: ['understand', 'work', 'check'], session_id: sessionId },
  ])
})

test('after /compact the next request has the recap, and so does a resumed session', async () => {
  const { client, step, read } = await gated()
  await using _ = client
  client.model.script('main', [read('understand'), say('Understood.'), say('Going on.')])
  client.model.script('compaction', [say('<analysis>-</analysis><summary>the summary</summary>')])

  const conversation = client.open()
  await conversation.say('/deploy it')
  await conversation.say('/compact')
  await conversation.say('Go on')
  const { sessionId } = await conversation.end()

  const recap = stepToDo('work', step('work'))
  const recaps = () =>
    client.model
      .last()
      .systemTexts()
      .filter((text) => text.includes(recap))
  expect(client.model.last().mentions('the summary')).toBe(true)
  expect(recaps().length).toBeGreaterThan(0)

  client.model.script('main', [read('check'), say('Refused.')])
  await client.run('And now', { resume: sessionId })
  expect(recaps().length).toBeGreaterThan(0)
  const results = client.model.last().toolResults()
  expect(results.at(-1)).toMatchObject({ tool: 'Read', isError: true })
})

test('a sub-agent neither gets nor changes the progress of the main thread', async () => {
  const { client, read, spans } = await gated()
  await using _ = client
  const delegate = { description: 'Look', prompt: 'Look at the end', subagent_type: 'general-purpose' }
  client.model.script('main', [
    use('Agent', { ...delegate, run_in_background: false }),
    read('work'),
    say('Done.'),
  ])
  client.model.script('agent', [read('check'), say('It is read.')])

  await client.run('/deploy it')

  for (const request of client.model.of('agent')) expect(request.mentions('Holdfast: ')).toBe(false)
  expect(client.model.last('agent').toolResults()).toMatchObject([{ tool: 'Read', isError: false }])
  expect(client.model.last().toolResults().at(-1)).toMatchObject({ tool: 'Read', isError: true })
  expect(await spans()).toMatchObject([{ skill: 'deploy', steps: [] }])
})

test('a step that is delegated too early is refused, and in order it counts when the sub-agent stops', async () => {
  const { client, step, read, spans } = await gated()
  await using _ = client
  const delegate = (name: string) => {
    const prompt = `Read ${step(name)} and do what it says.`
    const input = { description: 'Do it', prompt, subagent_type: 'general-purpose', run_in_background: false }
    return use('Agent', input)
  }
  client.model.script('main', [delegate('check'), delegate('understand'), read('work'), say('Done.')])
  client.model.script('agent', [read('understand'), say('Understood.')])

  await client.run('/deploy it')

  const results = client.model.last().toolResults()
  expect(results.map(({ tool, isError }) => [tool, isError])).toEqual([
    ['Agent', true],
    ['Agent', false],
    ['Read', false],
  ])
  expect(await spans()).toMatchObject([{ skill: 'deploy', steps: ['understand', 'work'] }])
})

test('a step that is read in part has only begun, for the main thread and for its sub-agent', async () => {
  const { client, step, read } = await gated()
  await using _ = client
  const part = (name: string, offset: number, limit?: number) =>
    use('Read', { file_path: step(name), offset, ...(limit !== undefined && { limit }) })
  const delegate = use('Agent', {
    description: 'Do it',
    prompt: `Do ${step('work')}.`,
    subagent_type: 'general-purpose',
    run_in_background: false,
  })
  client.model.script('main', [
    use('Bash', { command: `wc -l ${step('understand')}`, description: 'Count' }),
    read('work'),
    part('understand', 1, 6),
    read('work'),
    part('understand', 7),
    delegate,
    read('check'),
    read('work'),
    read('check'),
    say('Done.'),
  ])
  client.model.script('agent', [part('work', 1, 6), say('I have seen enough.')])

  await client.run('/deploy it')

  const results = client.model.last().toolResults()
  const refused = results.flatMap(({ isError }, index) => (isError ? [index] : []))
  expect([results.length, refused]).toEqual([9, [1, 3, 6]])
  expect(results[3]?.text).toMatch(
    /step "understand" was read only in part \(\d+ of \d+ lines\)\. Next: read \S+ from line \d+\./,
  )
  expect(results[6]?.text).toMatch(
    /step "work" was given to a sub-agent that was shown \d+ of its \d+ lines\. Next: read /,
  )
})

test('killing the daemon during a turn stops nothing, and the next prompt finds the same state', async () => {
  const { client, step, read, spans } = await gated()
  await using _ = client
  const { pid } = await client.user.json<{ pid: number }>(['daemon', 'status'])
  client.model.script('main', [
    read('understand'),
    use('Bash', { command: `kill -9 ${pid}`, description: 'Kill it' }),
    read('check'),
    say('Nobody was there.'),
    read('check'),
    read('work'),
    say('Done.'),
  ])

  const conversation = client.open()
  await conversation.say('/deploy it')
  await conversation.say('Go on')
  await conversation.end()

  const results = client.model.last().toolResults()
  expect(results.map(({ tool, isError }) => [tool, isError])).toEqual([
    ['Read', false],
    ['Bash', false],
    ['Read', false],
    ['Read', true],
    ['Read', false],
  ])
  expect(results[3]?.text).toContain(`read ${step('work')}`)
  expect(await spans()).toMatchObject([{ skill: 'deploy', steps: ['understand', 'work'] }])
})
