import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RealClient } from './client.ts'
import type { ModelRequest } from './model-request.ts'
import { say, type Turn, use } from './model-server.ts'
import { Child, obey, type OwnWhims, run, type Values } from './obeying.ts'

const START = 'holdfast step executor --param plan=plan.md'
const AGAIN = 'holdfast step --effort 2'
const done = (step: string, more = '') => run(`holdfast step done ${step} --effort 2${more}`)

/** What the model says at each visit of the planning: what came of earlier work, two waves, and the fixes. */
const planned: readonly Values[] = [
  { work: 'check', agents: '2' },
  { work: 'wave', agents: '2' },
  { work: 'wave', agents: '1' },
  { work: 'done', agents: '1' },
  { work: 'done', agents: '1' },
]

/** What the model does before it obeys, once, by the number of the step and, after the first, of its visit. */
const whims: Readonly<Record<string, Turn[]>> = {
  1: [
    run('holdfast step go qr-code --effort 2'),
    done('planning', ' --visit 1'),
    done('planning', ' --visit 1 --outcome ok --set work=check --set agents=2'),
    done('planning', ' --visit 1 --set work=wave --set agents=70'),
    say('The plan is carried out.'),
  ],
  2: [
    run('holdfast step executor/reconcile --parent 2 --child 1 --visit 1'),
    done('reconciliation', ' --visit 1 --set verdict=SATISFIED --set evidence=none.md'),
  ],
  3: [done('implementation', ' --visit 1'), run('holdfast effort finish 2')],
  '1.3': [done('planning', ' --visit 2 --set work=done --set agents=1'), say('The rest can wait.')],
  4: [done('qr-code', ' --visit 1 --set result=pass --set report=none.md'), say('The code is good enough.')],
  5: [done('qr-code-gate', ' --visit 1 --outcome pass')],
  '3.3': [run('holdfast step go documentation --effort 2')],
  6: [done('documentation', ' --visit 1')],
  9: [run('holdfast step --effort 2 --step 7 --total-steps 9 --qr-iteration 1')],
}

/** The developer of line 2 dies twice in the first wave, a reviewer tries to decide for its caller. */
const ownWhims: OwnWhims = {
  'carry-out 2': [[say('I began.')], [say('I began again.')]],
  'carry-out 1': [[run('holdfast step done planning --effort 2 --set work=done --set agents=1')]],
  'reconcile 2': [[done('reconciliation', ' --visit 1 --set verdict=SATISFIED')]],
  document: [[run('holdfast step go check')]],
}

const results = ['fail']
const valuesOfChild = (workflow: string): Values => ({
  built: 'built.md',
  verdict: 'NOT_SATISFIED',
  evidence: 'verdict.md',
  report: 'qr.md',
  result: (workflow === 'review-code' ? results.shift() : undefined) ?? 'pass',
})

/** A sub-agent that stopped twice is given up. */
function orGiveUp(printed: string, times: number): Turn {
  const [, command] = /cannot do its work, run: (.*)/.exec(printed) ?? []
  return times < 3 || command === undefined ? obey(printed, {}) : run(command.replace('____', 'it died'))
}

let client: RealClient
const children = new Map<string | undefined, Child>()

beforeAll(async () => {
  client = await RealClient.start()
  cpSync('contents/skills/executor', join(client.project, '.claude/skills/executor'), { recursive: true })
  cpSync('contents/agents', join(client.project, '.claude/agents'), { recursive: true })
  await client.user.json(['init', '--scope', 'user', '--yes'])
  let printed = ''
  const times = new Map<string, number>()
  client.model.script('main', (request) => {
    const last = request.toolResults().at(-1)
    if (last === undefined) return use('Read', { file_path: join(client.project, 'README.md') })
    if (last.tool === 'Read') return run(START)
    if (last.tool === 'Agent') return run(AGAIN)
    if (last.text.includes('effort 2, finished')) return say('The plan is carried out.')
    if (/^STEP \d/m.test(last.text)) printed = last.text
    else if (last.text.includes('next: ') && !last.isError) return run(AGAIN)
    const [, at = ''] = /STEP (\d+)/.exec(printed) ?? []
    const [, visit = '1'] = /--visit (\d+)/.exec(printed) ?? []
    const whim = whims[visit === '1' ? at : `${at}.${visit}`]?.shift()
    if (whim !== undefined) return whim
    const seen = (times.get(`${at}.${visit}`) ?? 0) + 1
    times.set(`${at}.${visit}`, seen)
    return at === '1' ? obey(printed, planned[Number(visit) - 1] ?? {}) : orGiveUp(printed, seen)
  })
  client.model.script('agent', (request) => {
    const child = children.get(request.agentId) ?? new Child(request, ownWhims, valuesOfChild)
    children.set(request.agentId, child)
    return child.next(request)
  })
})
afterAll(() => client[Symbol.asyncDispose]())

const refused = (request: ModelRequest | undefined) =>
  (request?.toolResults() ?? []).filter(({ isError }) => isError)
const lastOf = (id: string | undefined) => client.model.of('agent').findLast(({ agentId }) => agentId === id)

test('executor ends on its plan with a model that skips, stops early and forges, a failed gate, and developers that die', async () => {
  const talk = client.open({ env: client.holdfastOnPath(), limit: 170_000 })
  for (const words of ['/executor plan.md', 'Go on', 'Go on', 'Go on']) await talk.say(words)
  await talk.end()

  const { status, steps } = await client.user.json<Shown>(['rpc', 'step.show', '{"effort_id":2}'])
  const visits = Object.fromEntries(steps.map(({ step, attempts }) => [step, attempts]))
  expect({ status, visits }).toEqual({ status: 'finished', visits: AT_THE_END })
  const ended = await client.user.json<readonly Ended[]>(['ledger', '--type', 'effort.finished'])
  const completed = ended.filter(({ payload }) => payload.outcome === 'completed')
  expect(counted(completed.map(({ skill }) => skill))).toEqual(FINISHED)
  // The developer that died twice was given up with its effort.
  expect(ended.filter((one) => !completed.includes(one)).map(({ skill }) => skill)).toEqual([
    'executor/carry-out',
  ])
  // All that it and its sub-agents were to do wrong was done.
  expect([...Object.values(whims), ...Object.values(ownWhims)].flat()).toEqual([])
  const heard = client.model.last().toolResults()
  const told = (text: RegExp) => heard.filter((one) => text.test(one.text)).length
  expect(told(/SUBAGENT RESULTS:[^]*child: 2, outcome: fail/)).toBeGreaterThan(0)
  expect(told(/DISPATCH[^]*QR_REPORT_PATH: qr.md/)).toBe(1)
  // The Read, two skips, a missing and a wrong value, two other outcomes, a sub-agent's work, five ends without a
  // sub-agent or too early, a wrong count. What is said of a visit that has ended is no error, and moves nothing.
  expect(refused(client.model.last())).toHaveLength(14)
  // The step of its caller, its caller's end, a step too early.
  expect([...children.keys()].flatMap((id) => refused(lastOf(id)))).toHaveLength(3)
})

const counted = (names: readonly string[]) =>
  Object.fromEntries(
    [...new Set(names)].toSorted().map((name) => [name, names.filter((one) => one === name).length]),
  )

const AT_THE_END = {
  planning: 5,
  reconciliation: 4,
  implementation: 3,
  'qr-code': 2,
  'qr-code-gate': 2,
  documentation: 1,
  'qr-docs': 1,
  'qr-docs-gate': 1,
  retrospective: 1,
}

/** How often each skill and each workflow of a sub-agent was carried out. */
const FINISHED = {
  executor: 1,
  'executor/carry-out': 3,
  'executor/document': 1,
  'executor/reconcile': 6,
  'executor/review-code': 2,
  'executor/review-docs': 1,
}

interface Ended {
  readonly skill: string
  readonly payload: { readonly outcome: string }
}

interface Shown {
  readonly status: string
  readonly steps: readonly { readonly step: string; readonly attempts: number }[]
}
