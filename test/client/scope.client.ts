import { expect, test } from 'vitest'
import { inOurVoice } from '../../src/model/text/voice.ts'
import { givenToSubagent, tracking } from '../../src/rules/told/words.ts'
import { RealClient } from './client.ts'
import type { ModelRequest } from './model-request.ts'
import { say, type Turn, use, useAll } from './model-server.ts'

const SKILL = '---\nname: survey\ndescription: Surveys.\ncontext: fork\n---\n\nSurvey $ARGUMENTS.\n'
const FOLDER = '.claude/skills/survey'

/** A request of the sub-agent that a slash command forks has no header of its own. */
const isSurvey = (request: ModelRequest) => request.userTexts().some((text) => text.includes('\nSurvey the '))

/** The real client with our hooks, in a project with a skill that forks. */
async function surveying() {
  const client = await RealClient.start()
  client.write(`${FOLDER}/SKILL.md`, SKILL)
  const look = client.write(
    `${FOLDER}/steps/look.md`,
    '---\nconsumes: [user-request]\nproduces: [view]\n---\n',
  )
  const act = client.write(`${FOLDER}/steps/act.md`, '---\nconsumes: [view]\nproduces: [result]\n---\n')
  await client.user.json(['init', '--scope', 'user', '--yes'])
  return { client, look, act, read: (file_path: string) => use('Read', { file_path }) }
}

test('a skill that forks is gated in its sub-agent, by slash and by tool, and not in the main thread', async () => {
  const { client, look, act, read } = await surveying()
  await using _ = client
  const surveys: Turn[] = []
  const main = [use('Skill', { skill: 'survey', args: 'the cellar' }), say('Surveyed.')]
  const survey = () => surveys.shift() ?? say('Seen.')
  client.model.script('agent', survey)
  client.model.script('main', (request) => (isSurvey(request) ? survey() : (main.shift() ?? say('Done.'))))

  const ofSurvey = () => client.model.requests.filter((request) => isSurvey(request))
  const conversation = client.open()
  for (const prompt of ['/survey the attic', 'Please survey the cellar']) {
    surveys.push(read(act), read(look), read(act), say('Seen.'))
    await conversation.say(prompt)
    const results = ofSurvey().at(-1)?.toolResults() ?? []
    expect(results.map(({ isError }) => isError)).toEqual([true, false, false])
    expect(results[0]?.text).toContain('which step "look" produces')
  }
  await conversation.end()

  const finished = await client.user.json<{ effort_id: number }[]>(['ledger', '--type', 'effort.finished'])
  const ids = finished.map(({ effort_id: id }) => id).toSorted((a, b) => a - b)
  expect(ids).toHaveLength(2)
  for (const [index, words] of ['the attic', 'the cellar'].entries()) {
    const id = ids[index] ?? 0
    expect(await client.user.json(['effort', 'show', `${id}`])).toMatchObject({ request: words })
    const told = client.model.requests.filter((one) => one.mentions(inOurVoice(tracking(id, 'survey'))))
    expect(told.length).toBeGreaterThan(0)
    expect(told.filter((one) => !isSurvey(one) || !one.mentions(`Survey ${words}.`))).toEqual([])
  }
  expect(client.model.last().mentions(inOurVoice(givenToSubagent('survey')))).toBe(true)
})

test('beside a plain sub-agent in one message, the skill is given to its own one, in either order', async () => {
  const { client, look, act, read } = await surveying()
  await using _ = client
  const skill = use('Skill', { skill: 'survey', args: 'the attic' })
  const agent = use('Agent', {
    description: 'Read',
    prompt: 'Read the last step',
    subagent_type: 'general-purpose',
  })
  const main = [useAll(agent, skill), useAll(skill, agent)]
  const next = (request: ModelRequest) => {
    const turns = isSurvey(request) ? [read(act), read(look), read(act)] : [read(act)]
    return turns[request.toolResults().length] ?? say('Read.')
  }
  client.model.script('agent', next)
  client.model.script('main', () => main.shift() ?? say('Done.'))
  await client.run('Survey the attic and read the last step, twice')

  const results = new Map(
    client.model.of('agent').map((one) => [one.agentId, one.toolResults().map(({ isError }) => isError)]),
  )
  const plain = [false]
  const gated = [true, false, false]
  expect([...results.values()].toSorted((a, b) => a.length - b.length)).toEqual([plain, plain, gated, gated])
  expect(await client.user.json(['ledger', '--type', 'effort.finished'])).toHaveLength(2)
})
