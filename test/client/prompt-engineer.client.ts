import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RealClient } from './client.ts'
import type { ModelRequest } from './model-request.ts'
import { say, type Turn, use } from './model-server.ts'
import { obey, run } from './obeying.ts'

const BEFORE = '# Triage\n\nBe careful with unclear tickets.\n'
const AFTER = '# Triage\n\nIf a ticket names no product, answer only: NEEDS PRODUCT.\n'
const START = 'holdfast step prompt-engineer --param request="prompts/triage.md is vague"'
const ANSWER = 'Make P1, but shorter'

let client: RealClient
let prompt: string
beforeAll(async () => {
  client = await RealClient.start()
  const skill = 'skills/prompt-engineer'
  cpSync(join('contents', skill), join(client.project, '.claude', skill), { recursive: true })
  prompt = client.write('prompts/triage.md', BEFORE)
  await client.user.json(['init', '--scope', 'user', '--yes'])
})
afterAll(() => client[Symbol.asyncDispose]())

const done = (step: string, more = '') => run(`holdfast step done ${step} --effort 2${more}`)
const edit = () =>
  use('Edit', { file_path: prompt, old_string: BEFORE.slice(10), new_string: AFTER.slice(10) })
const ask = () => use('Agent', { description: 'Case 1', prompt: 'Be careful.', ...SUBAGENT })
const SUBAGENT = { subagent_type: 'general-purpose', run_in_background: false }

/** What the model does before it obeys, once, by the step and the visit of it. */
const whimsOf = (): Readonly<Record<string, Turn[]>> => ({
  'triage 1': [
    run('holdfast step go single-apply --effort 2'),
    done('single-agree', ' --visit 1 --set agreement=agreed'),
    use('Read', { file_path: prompt }),
    edit(),
  ],
  'single-read 1': [say('The prompt is fine.')],
  // The sub-agent that should only answer a case edits the prompt.
  'single-cases 1': [ask(), run('holdfast effort finish 2')],
  'single-diagnose 1': [run('sed -i s/careful/quick/ prompts/triage.md'), say('I know what to change.')],
  'single-propose 1': [run('cp README.md prompts/triage.md'), edit()],
  'single-agree 1': [
    done('single-agree', ' --visit 1 --set agreement=agreed'),
    done('single-apply', ' --visit 1'),
    edit(),
    say('May I make P1?'),
  ],
  'single-propose 2': [edit()],
  'single-agree 2': [say('May I make P1 now?')],
  'single-apply 1': [edit()],
  'single-report 1': [say('It is done.')],
})

test('prompt-engineer changes no prompt before the user agrees, with a model that skips, stops and edits', async () => {
  const whims = whimsOf()
  let printed = ''
  client.model.script('main', (request) => {
    const last = request.toolResults().at(-1)
    if (last === undefined)
      return use('Write', { file_path: join(client.project, 'prompts/new.md'), content: '' })
    if (last.tool === 'Write') return run(START)
    if (last.text.includes('effort 2, finished')) return say('P1 is made.')
    if (last.text.startsWith('STEP ')) printed = last.text
    const [, step = '', visit = ''] = /done (\S+) --effort 2 .*--visit (\d+)/.exec(printed) ?? []
    const agreement = visit === '1' ? 'changes' : 'agreed'
    return whims[`${step} ${visit}`]?.shift() ?? obey(printed, { scope: 'single', agreement, answer: ANSWER })
  })
  const answers = [run('echo quick > prompts/triage.md'), say('NEEDS PRODUCT')]
  client.model.script('agent', answers)

  const talk = client.open({ env: client.holdfastOnPath(), limit: 120_000 })
  await talk.say('/prompt-engineer prompts/triage.md is vague')
  expect(await current()).toEqual(['single-read'])
  await talk.say('Go on')
  expect(await current()).toEqual(['single-diagnose'])
  await talk.say('Go on')
  expect(await current()).toEqual(['single-agree'])
  await talk.say(ANSWER)
  expect(await current()).toEqual(['single-agree'])
  expect(readFileSync(prompt, 'utf8')).toBe(BEFORE)
  await talk.say('Yes, make it')
  expect(await current()).toEqual(['single-report'])
  expect(readFileSync(prompt, 'utf8')).toBe(AFTER)
  await talk.say('Go on')
  await talk.end()

  const end = await shown()
  expect(end.status).toBe('finished')
  expect(Object.fromEntries(end.steps.map(({ step, attempts }) => [step, attempts]))).toMatchObject({
    'single-propose': 2,
    'single-agree': 2,
    'single-apply': 1,
    'ecosystem-apply': 0,
  })
  const [ended] = await client.user.json<readonly Entry[]>(['ledger', '--type', 'effort.finished'])
  expect(ended?.payload).toMatchObject({ outcome: 'completed' })
  // Three moves to later steps, an agreement without an answer, an end of the effort.
  expect(refusedFor('may be changed only', client.model.last())).toHaveLength(6)
  expect(refusedFor('', client.model.last())).toHaveLength(6 + 1 + 5)
  expect(
    client.model.of('agent').flatMap((request) => refusedFor('may be changed only', request)),
  ).toHaveLength(1)
})

const shown = () => client.user.json<Shown>(['rpc', 'step.show', '{"effort_id":2}'])
const current = async () => (await shown()).current
const refusedFor = (reason: string, request: ModelRequest) =>
  request.toolResults().filter(({ isError, text }) => isError && text.includes(reason))

interface Shown {
  readonly status: string
  readonly current: readonly string[]
  readonly steps: readonly { readonly step: string; readonly attempts: number }[]
}

interface Entry {
  readonly payload: { readonly outcome: string }
}
