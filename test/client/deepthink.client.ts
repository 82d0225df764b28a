import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tokensOf } from '../../src/model/recap.ts'
import { RealClient } from './client.ts'
import type { ModelRequest } from './model-request.ts'
import { say, type Turn, use, useAll } from './model-server.ts'
import { obey, run } from './obeying.ts'

const START = 'holdfast step deepthink --param question="Which queue?" --param mode=full'
const INQUIRY = 'holdfast step deepthink/inquiry --parent 2'
const done = (step: string, more = '') => run(`holdfast step done ${step} --effort 2${more}`)

/** What the model does before it obeys, once, by the number of the step. */
const WHIMS: Readonly<Record<string, readonly Turn[]>> = {
  1: [run('holdfast step go initial-synthesis --effort 2'), say('Take the second one.')],
  2: [done('planning', ' --visit 1')],
  3: [say('The answer is clear by now.')],
  4: [run('holdfast step deepthink --param question="Which database?"'), run('ls')],
  5: [done('planning', ' --visit 1 --outcome skip'), done('planning', ' --visit 1 --set mode=quick')],
  6: [done('sub-agent-design', ' --visit 1')],
  9: [run(`${INQUIRY} --child 1 --visit 1`), done('dispatch', ' --visit 1 --set report=own.md')],
  10: [done('quality-gate', ' --visit 1 --set usable=7'), say('The reports agree.')],
  13: [done('formatting-output', ' --visit 1'), run('holdfast effort finish 2')],
}

/** What it says where a step asks: it is never certain, so the last loop ends at its limit. */
const VALUES = { inquiry: 'divided', usable: '3', confidence: 'medium', report: 'inquiry.md' }

const hand = (command: string): Turn =>
  use('Agent', {
    description: 'Inquire',
    prompt: `Start by invoking: ${command}`,
    subagent_type: 'thinker',
    run_in_background: false,
  })

/** The main thread: it follows its whims at each step, then does what was printed last. */
class Main {
  readonly #project: string
  readonly #whims = new Map(Object.entries(WHIMS).map(([at, turns]) => [at, [...turns]]))
  #printed = ''

  constructor(project: string) {
    this.#project = project
  }

  next(request: ModelRequest): Turn {
    const last = request.toolResults().at(-1)
    if (last === undefined) return use('Read', { file_path: join(this.#project, 'README.md') })
    if (last.tool === 'Read') return run(START)
    if (last.tool === 'Agent') return run('holdfast step --effort 2')
    if (last.text.includes('effort 2, finished')) return say('Here is the answer.')
    if (last.text.startsWith('STEP ')) this.#printed = last.text
    const [, at = ''] = /^STEP (\d+)/.exec(this.#printed) ?? []
    return this.#whims.get(at)?.shift() ?? this.#obey()
  }

  #obey(): Turn {
    const each = [...this.#printed.matchAll(/invoke: (holdfast .*)/g)].map(([, command = '']) => command)
    return each.length > 0 ? useAll(...each.map(hand)) : obey(this.#printed, VALUES)
  }
}

/** What the sub-agents do in their second turn; one that dies gets no turn at all. */
const OWN: Readonly<Record<string, (effort: string) => Turn>> = {
  '2': () => {
    throw new Error('The sub-agent dies.')
  },
  '3': (effort) => run(`holdfast step done report --effort ${effort} --visit 1 --set report=early.md`),
  '4': () => say('I know the answer without all this.'),
}

/** A sub-agent begins as its prompt says, does what is its own, then obeys. */
class Children {
  readonly #own = new Map(Object.entries(OWN))
  readonly #printed = new Map<string | undefined, string>()

  next(request: ModelRequest): Turn {
    const { agentId } = request
    const [, first = '', child = ''] =
      /Start by invoking: (.* --child (\d).*)/.exec(request.userTexts().join('\n')) ?? []
    const last = request.toolResults().at(-1)
    if (last === undefined) return run(first)
    if (!last.isError) this.#printed.set(agentId, last.text)
    const printed = this.#printed.get(agentId) ?? ''
    const [, effort = ''] = /--effort (\d+)/.exec(printed) ?? []
    const own = this.#own.get(child)
    this.#own.delete(child)
    return own?.(effort) ?? obey(printed, VALUES)
  }
}

test('deepthink ends on its plan, with a model that skips, stops early and forges, and a sub-agent that dies', async () => {
  await using client = await RealClient.start()
  cpSync('contents/skills/deepthink', join(client.project, '.claude/skills/deepthink'), { recursive: true })
  cpSync('contents/agents', join(client.project, '.claude/agents'), { recursive: true })
  await client.user.json(['init', '--scope', 'user', '--yes'])
  const [main, children] = [new Main(client.project), new Children()]
  client.model.script('main', (request) => main.next(request))
  client.model.script('agent', (request) => children.next(request))

  const talk = client.open({ env: client.holdfastOnPath(), limit: 170_000 })
  for (const [prompt, current] of [
    ['/deepthink Which queue?', ['context-clarification']],
    ['Go on', ['characterization']],
    ['Go on', ['quality-gate']],
    ['Go on', []],
  ] as const) {
    await talk.say(prompt)
    expect((await client.user.json<Shown>(SHOW)).current).toEqual(current)
  }
  await talk.end()

  const { status, steps } = await client.user.json<Shown>(SHOW)
  expect(status).toBe('finished')
  expect(steps).toHaveLength(14)
  const often = steps.filter(({ attempts }) => attempts !== 1)
  expect(often.map(({ step, attempts }) => [step, attempts])).toEqual([['iterative-refinement', 5]])
  const ended = await client.user.json<readonly Ended[]>(['ledger', '--type', 'effort.finished'])
  expect(ended.map(({ skill, payload }) => `${skill} ${payload.outcome}`)).toEqual(ENDED)
  expect(refusedIn(client.model.last())).toEqual(REFUSED.map((text) => expect.stringContaining(text)))
  const agents = new Map(client.model.of('agent').map((request) => [request.agentId, request]))
  expect(agents.size).toBe(4)
  expect([...agents.values()].flatMap(refusedIn)).toEqual([
    expect.stringContaining('Step "report" was entered 0 times'),
  ])
  const printed = [client.model.last(), ...agents.values()].flatMap((request) =>
    request.toolResults().filter(({ text }) => text.startsWith('STEP ')),
  )
  expect(Math.max(...printed.map(({ text }) => tokensOf(text)))).toBeLessThan(1500)
})

const refusedIn = (request: ModelRequest) =>
  request.toolResults().flatMap(({ isError, text }) => (isError ? [text] : []))

const SHOW = ['rpc', 'step.show', '{"effort_id":2}']

/** What the main thread was refused, in order. */
const REFUSED = [
  'prints its first step before anything else is done',
  'Step "initial-synthesis" is not next',
  'Step "planning" was entered 0 times',
  'Effort 2 of deepthink has begun with question="Which queue?", which stays',
  'decide that it ends with "ok", not "skip"',
  'mode was given at the start and stays',
  'Step "sub-agent-design" needs a value of inquiry',
  'Sub-agent 1 of step "Dispatch" does this, not the main thread',
  'Step "dispatch" waits for 3 more of its sub-agents',
  'usable must be a number from 0 to 4',
  'Step "formatting-output" was entered 0 times',
  'Effort 2 is open at',
]

/** Every effort that ended, in order: the step did not wait for the sub-agent that died. */
const ENDED = [
  'deepthink/inquiry completed',
  'deepthink/inquiry completed',
  'deepthink/inquiry completed',
  'deepthink completed',
  'deepthink/inquiry abandoned',
]

interface Ended {
  readonly skill: string
  readonly payload: { readonly outcome: string }
}

interface Shown {
  readonly status: string
  readonly current: readonly string[]
  readonly steps: readonly { readonly step: string; readonly attempts: number }[]
}
