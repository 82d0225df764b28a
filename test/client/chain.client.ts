import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { ChainView } from '../../src/model/chain/view.ts'
import { RealClient } from './client.ts'
import type { StreamEvent } from './conversation.ts'
import type { ModelRequest } from './model-request.ts'
import { say, type Turn, use } from './model-server.ts'

const skillOf = (name: string, body = '') => `---\nname: ${name}\ndescription: Does it.\n---\n\n${body}\n`

/** The real client with our hooks, skills that know nothing of us, and one with a step. */
async function hooked(): Promise<RealClient> {
  const client = await RealClient.start()
  await client.user.json(['init', '--scope', 'user', '--allow-skills', '--yes'])
  for (const name of ['one', 'two', 'three', 'fix'])
    client.write(`.claude/skills/${name}/SKILL.md`, skillOf(name, `Do ${name} with: $ARGUMENTS.`))
  client.write('.claude/skills/make/SKILL.md', skillOf('make'))
  client.write('.claude/skills/make/steps/do.md', '---\nproduces: [out]\n---\n')
  return client
}

const NEXT = /call the Skill tool with skill "([^"]+)" and args "([^"]*)"/

/** A model that does what refuses the end of its turn, and else ends it. */
const obedient = (request: ModelRequest): Turn => {
  const [, skill, args] = NEXT.exec(feedback(request)) ?? []
  return skill === undefined ? say('Done.') : use('Skill', { skill, args })
}

/** Why the end of a turn was refused; empty after anything else. */
const feedback = (request: ModelRequest): string => {
  const last = request.lastUserText()
  return last.startsWith('Stop hook feedback') ? last : ''
}

const run = (command: string) => use('Bash', { command, description: 'Go on' })

const shown = (events: readonly StreamEvent[]): string =>
  events.flatMap(({ subtype, content }) => (subtype === 'informational' ? [String(content)] : [])).join('\n')

const chainOf = async (client: RealClient): Promise<ChainView | undefined> =>
  (await client.user.json<readonly ChainView[]>(['chain', 'list', '--ended']))[0]

const states = async (client: RealClient) =>
  (await chainOf(client))?.frames.map(({ skill, args, status, call }) =>
    [`/${skill}`, args, status, call].filter((part) => part !== null).join(' '),
  )

test('three skills that know nothing of us run in order, each with its own words', async () => {
  await using client = await hooked()
  client.model.script('main', obedient)
  const { events } = await client.run('/one x, /two y and /three z')
  expect(shown(events)).toContain('/one → /two → /three.')
  expect(await states(client)).toEqual([
    '/one x completed',
    '/two y completed tail',
    '/three z completed tail',
  ])
  const [first] = client.model.requests
  expect(first?.mentions('Your part now is /one with "x"')).toBe(true)
  expect(client.model.last().mentions('Do three with: z.')).toBe(true)
  expect(await client.user.json(['chain', 'list'])).toEqual([])
})

test('a chain outlives a compaction and a killed client', async () => {
  await using client = await hooked()
  const question = say('Which color?')
  client.model.script('main', [question, use('Skill', { skill: 'two', args: 'y' }), question, question])
  const first = client.open()
  await first.say('/one x, /two y and /three z')
  expect(await states(client)).toEqual(['/one x completed', '/two y running tail', '/three z waiting'])
  await first.say('/compact')
  const slow = use('Bash', { command: 'timeout 60 tail -f /dev/null', description: 'Wait' })
  client.model.script('main', [slow])
  void first.say('Blue').catch(() => undefined)
  const openCalls = async () =>
    (await client.user.json<{ open_calls: { tool: string }[] }[]>(['session', 'find']))[0]?.open_calls
  while ((await openCalls())?.[0]?.tool !== 'Bash') await sleep(100)
  const next = 'When /two is done, call the Skill tool with skill "three" and args "z".'
  expect(client.model.last().mentions(next)).toBe(true)
  const { sessionId } = await first.kill('SIGKILL')

  client.model.script('main', obedient)
  await client.run('Go on', { resume: sessionId })
  expect(client.model.requests.at(-1)?.mentions('Do three with: z.')).toBe(true)
  expect(await states(client)).toEqual([
    '/one x completed',
    '/two y completed tail',
    '/three z completed tail',
  ])
})

/** An obedient model, while the user gives up the effort of the middle skill in a terminal. */
function givenUp(client: RealClient): void {
  let isUp = false
  client.model.script('main', async (request) => {
    if (isUp || request.toolResults().length === 0) return obedient(request)
    isUp = true
    const [effort] = await client.user.json<readonly { id: number }[]>(['effort', 'list'])
    await client.user.json(['effort', 'finish', String(effort?.id), '--abandon', 'too hard'])
    return say('Done.')
  })
}

test('a skill that is given up hands over to its branch, and then to the rest', async () => {
  await using client = await hooked()
  givenUp(client)
  await client.run('/one x, /make it else /fix that, then /three z')
  expect(await states(client)).toEqual([
    '/one x completed',
    '/make it failed tail',
    '/fix that completed',
    '/three z completed tail',
  ])
  expect(client.model.last().mentions('For /fix: /make failed: too hard')).toBe(true)
})

test('without a branch the rest waits for the user, who resumes it', async () => {
  await using client = await hooked()
  givenUp(client)
  const { sessionId } = await client.run('/one x, /make it, then /three z')
  expect(await states(client)).toEqual(['/one x completed', '/make it failed tail', '/three z parked'])
  const { id } = (await chainOf(client)) ?? {}
  client.model.script('main', [run(`holdfast chain resume ${id}`), say('Which way?'), say('Which way?')])
  await client.run('Go on with the chain', { resume: sessionId })
  expect(client.model.last().mentions(`To go on: holdfast chain resume ${id}`)).toBe(true)
  expect(await states(client)).toEqual(['/one x completed', '/make it failed tail', '/three z waiting'])
  client.model.script('main', obedient)
  await client.run('Go on', { resume: sessionId })
  expect(await states(client)).toEqual(['/one x completed', '/make it failed tail', '/three z completed'])
})

test('a workflow ends by the commands that it prints, and its chain goes on with what they end in', async () => {
  await using client = await hooked()
  await client.user.json(['skill', 'link', resolve('contents/skills/decision-critic')])
  const first = 'holdfast step decision-critic --param decision="We move the queue to <Kafka>"'
  // The values that the user gave a hasty model; everything else is what Holdfast printed.
  const said = (command: string) => command.replace("'verdict=stand|revise|escalate'", 'verdict=revise')
  client.model.script('main', (request) => {
    const printed = request.toolResults().at(-1)?.text ?? ''
    const [, after] = /^INVOKE AFTER: (.+)$/m.exec(printed) ?? []
    if (feedback(request) !== '') return obedient(request)
    if (request.toolResults().length === 0) return run(first)
    if (after !== undefined) return run(said(after))
    const [, skill, args] =
      /^next: call the Skill tool with skill "([^"]+)" and args "([^"]*)"$/m.exec(printed) ?? []
    return skill === undefined ? say('Done.') : use('Skill', { skill, args })
  })
  const { events } = await client.run('/decision-critic Kafka, then /two about it', {
    env: client.holdfastOnPath(),
  })
  expect(shown(events)).toContain('/decision-critic → /two.')
  expect(await states(client)).toEqual(['/decision-critic Kafka completed', '/two about it completed'])
  expect(client.model.last().mentions('The decision: We move the queue to <Kafka>')).toBe(true)
  expect(client.model.last().mentions('Do two with: about it.')).toBe(true)
  const refused = client.model
    .last()
    .toolResults()
    .filter(({ isError }) => isError)
  expect(refused).toEqual([])
})

test('a first name that the client takes for a text is called by the agent', async () => {
  await using client = await hooked()
  client.model.script('main', obedient)
  await client.run('/one, /two')
  expect(await states(client)).toEqual(['/one completed', '/two completed tail'])
})
