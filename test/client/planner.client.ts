import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RealClient } from './client.ts'
import type { ModelRequest, ToolResult } from './model-request.ts'
import { say, type Turn, use } from './model-server.ts'
import { Child, obey, type OwnWhims, run } from './obeying.ts'

const START = 'holdfast step planner --param request="a login page"'
const done = (step: string, more = '') => run(`holdfast step done ${step} --effort 2${more}`)
const counted = (step: number, round: number) =>
  run(`holdfast step --effort 2 --step ${step} --total-steps 13 --qr-iteration ${round}`)

/** What the model does before it obeys, once, by the number of the step and, after the first, of its visit. */
const whims: Readonly<Record<string, Turn[]>> = {
  1: [
    run('holdfast step go milestones --effort 2'),
    done('context', ' --visit 1 --set context=invented.md'),
    say('The plan is ready.'),
  ],
  3: [done('testing-strategy', ' --visit 1'), done('approaches')],
  4: [done('approaches'), done('milestones', ' --set plan=early.md')],
  5: [done('milestones', ' --visit 1 --outcome ok')],
  6: [done('qr-completeness', ' --visit 1 --set result=pass --set report=none.md')],
  7: [done('qr-completeness-gate', ' --visit 1 --outcome pass')],
  8: [say('It is good enough.'), done('diffs', ' --visit 1'), run('holdfast step go qr-docs --effort 2')],
  9: [run('holdfast effort finish 2'), run('holdfast effort finish 2 --abandon "it is good enough"')],
  10: [done('qr-code-gate', ' --visit 1 --outcome pass')],
  '8.2': [counted(8, 1), done('diffs')],
  '9.2': [say('The review would pass.'), counted(11, 2)],
  11: [done('qr-code-gate', ' --visit 2'), done('scrub', ' --visit 1 --outcome ok')],
  12: [say('All reviews have passed.')],
}

/** What the next sub-agents of a workflow do first; one that only talks never comes to the end. */
const ownWhims: OwnWhims = {
  'review-plan': [[say('It is good.')]],
  'fill-diffs': [[run('holdfast step done check --effort 2'), run('holdfast step done read')]],
  'scrub-docs': [[run('holdfast step go check'), run('holdfast step go qr-docs --effort 2')]],
  'review-code': [[done('qr-code', ' --visit 1 --set result=pass --set report=none.md')]],
  'review-docs': [[say('The texts are fine.')]],
}

/** What the reviewers that come to the end find, in order; after them, nothing blocks. */
const results: Readonly<Record<string, string[]>> = { 'review-plan': ['fail'], 'review-code': ['fail'] }

const valuesOfChild = (workflow: string) => ({
  context: 'context.md',
  report: 'qr.md',
  result: results[workflow]?.shift() ?? 'pass',
})

/** One user and one effort for both stories: the second takes up where the first ended. */
let client: RealClient
let session: string
const children = new Map<string | undefined, Child>()

beforeAll(async () => {
  client = await RealClient.start()
  cpSync('contents/skills/planner', join(client.project, '.claude/skills/planner'), { recursive: true })
  cpSync('contents/agents', join(client.project, '.claude/agents'), { recursive: true })
  await client.user.json(['init', '--scope', 'user', '--yes'])
  let printed = ''
  client.model.script('main', (request) => {
    const last = request.toolResults().at(-1)
    if (last === undefined) return use('Read', { file_path: join(client.project, 'README.md') })
    if (last.tool === 'Read') return run(START)
    if (last.tool === 'Agent') return run('holdfast step --effort 2')
    if (last.text.includes('effort 2, finished')) return say('Here is the plan.')
    if (last.text.includes('<step_header')) printed = last.text
    const [, at = ''] = /step="(\d+)"/.exec(printed) ?? []
    const [, visit = '1'] = /--visit (\d+)/.exec(printed) ?? []
    return whims[visit === '1' ? at : `${at}.${visit}`]?.shift() ?? obey(printed, { plan: 'plan.md' })
  })
  client.model.script('agent', (request) => {
    const child = children.get(request.agentId) ?? new Child(request, ownWhims, valuesOfChild)
    children.set(request.agentId, child)
    return child.next(request)
  })
})
afterAll(() => client[Symbol.asyncDispose]())

const LIMIT = 170_000
const ran = (workflow: string) => [...children.values()].filter((child) => child.workflow === workflow).length
const refused = (request: ModelRequest | undefined) =>
  (request?.toolResults() ?? []).filter(({ isError }) => isError)
const lastOf = (id: string | undefined) => client.model.of('agent').findLast(({ agentId }) => agentId === id)
const visitsOf = ({ steps }: Shown) => Object.fromEntries(steps.map(({ step, attempts }) => [step, attempts]))

test('planner keeps to its plan up to the first passed review, with a model that skips, ends early, repeats and forges', async () => {
  const talk = client.open({ env: client.holdfastOnPath(), limit: LIMIT })
  await talk.say('/planner a login page')
  const early = await client.user.json<Shown>(SHOW)
  expect(early).toMatchObject({ status: 'running', current: ['context'] })
  await talk.say('Go on')
  session = (await talk.end()).sessionId

  const [read, start]: readonly ToolResult[] = client.model.last().toolResults()
  expect(read).toMatchObject({ tool: 'Read', isError: true })
  expect(read?.text).toMatch(/holdfast step planner (--effort \d+ )?--param request=/)
  expect(start?.isError).toBe(false)
  const shown = await client.user.json<Shown>(SHOW)
  expect(shown.current).toEqual(['diffs'])
  expect(visitsOf(shown)).toMatchObject(UP_TO_DIFFS)
  expect(ran('review-plan')).toBe(3)
  // The Read, the skip, two invented ends, the later step, the missing value, the forged review, the other outcome.
  expect(refused(client.model.last())).toHaveLength(7)
})

test('the same session, resumed, comes to the end of the plan, with sub-agents that misbehave too', async () => {
  const talk = client.open({ resume: session, env: client.holdfastOnPath(), limit: LIMIT })
  for (const current of ['qr-code', 'qr-docs', undefined]) {
    await talk.say('Go on')
    const shown = await client.user.json<Shown>(SHOW)
    expect(shown.current).toEqual(current === undefined ? [] : [current])
  }
  await talk.end()

  const end = await client.user.json<Shown>(SHOW)
  expect({ status: end.status, visits: visitsOf(end) }).toEqual({ status: 'finished', visits: AT_THE_END })
  expect(await client.user.json(['effort', 'show', '2'])).toMatchObject({ lifecycle: 'finished' })
  const ended = await client.user.json<readonly Ended[]>(['ledger', '--type', 'effort.finished'])
  expect(ended.filter(({ payload }) => payload.outcome !== 'completed')).toEqual([])
  expect(ended.map(({ skill }) => skill)).toEqual(FINISHED)
  // Each of the two that only talked left its work to another one.
  expect(children.size).toBe(FINISHED.length - 1 + 2)
  // And nine more: three ends without a sub-agent, a skip, two ends of the effort, a forged outcome, two wrong counts.
  expect(refused(client.model.last())).toHaveLength(16)
  // Two steps of other efforts, a step too early, a forged review.
  expect([...children.keys()].flatMap((id) => refused(lastOf(id)))).toHaveLength(4)
})

const UP_TO_DIFFS = {
  context: 1,
  'testing-strategy': 1,
  approaches: 1,
  assumptions: 1,
  milestones: 2,
  'qr-completeness': 2,
  'qr-completeness-gate': 2,
  diffs: 1,
}
const AT_THE_END = {
  ...UP_TO_DIFFS,
  diffs: 2,
  'qr-code': 2,
  'qr-code-gate': 2,
  scrub: 1,
  'qr-docs': 1,
  'qr-docs-gate': 1,
}

/** Every effort that was finished, in order. */
const FINISHED = [
  'planner/context',
  'planner/review-plan',
  'planner/review-plan',
  'planner/fill-diffs',
  'planner/review-code',
  'planner/fill-diffs',
  'planner/review-code',
  'planner/scrub-docs',
  'planner/review-docs',
  'planner',
]

const SHOW = ['rpc', 'step.show', '{"effort_id":2}']

interface Ended {
  readonly skill: string
  readonly payload: { readonly outcome: string }
}

interface Shown {
  readonly status: string
  readonly current: readonly string[]
  readonly steps: readonly { readonly step: string; readonly attempts: number }[]
}
