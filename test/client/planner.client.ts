import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RealClient } from './client.ts'
import type { ToolResult } from './model-request.ts'
import { say, type Turn, use } from './model-server.ts'

const START = 'holdfast step planner --param request="a login page"'
const run = (command: string) => use('Bash', { command, description: 'Run it' })
const done = (step: string, more = '') => run(`holdfast step done ${step} --effort 2${more}`)

/** What a printed step asks for next, word for word, with these values in its blanks. */
function obey(printed: string, values: Readonly<Record<string, string>>): Turn {
  const [, command] = /<invoke_after>\n(?:.*\n)*?(holdfast .*)\n/.exec(printed) ?? []
  if (command !== undefined)
    return run(command.replaceAll(/--set '?(\w+)=\S+/g, (_, name: string) => `--set ${name}=${values[name]}`))
  const [, agent] = /<subagent_dispatch agent="(.*?)"/.exec(printed) ?? []
  // A sub-agent that ended early is started again by the command that the step names then.
  const [, first] = /(?:<invoke>|begins with: )(holdfast step \S+ [^<\n]*)/.exec(printed) ?? []
  if (first === undefined) return say('Done.')
  const prompt = `Start by invoking: ${first}`
  const subagent_type = agent ?? 'quality-reviewer'
  return use('Agent', { description: 'Do it', prompt, subagent_type, run_in_background: false })
}

/** What the model does at a step before it obeys, once; the steps are counted from 1. */
const WHIMS: Readonly<Record<number, readonly Turn[]>> = {
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
  8: [say('It is good enough.')],
}

test('planner keeps to its plan up to the first passed review, with a model that skips, ends early, repeats and forges', async () => {
  await using client = await RealClient.start()
  cpSync('contents/skills/planner', join(client.project, '.claude/skills/planner'), { recursive: true })
  cpSync('contents/agents', join(client.project, '.claude/agents'), { recursive: true })
  await client.user.json(['init', '--scope', 'user', '--yes'])
  const whims = Object.fromEntries(Object.entries(WHIMS).map(([at, turns]) => [at, [...turns]]))
  let printed = ''
  client.model.script('main', (request) => {
    const last = request.toolResults().at(-1)
    if (last === undefined) return use('Read', { file_path: join(client.project, 'README.md') })
    if (last.tool === 'Read') return run(START)
    if (last.tool === 'Agent') return run('holdfast step --effort 2')
    if (last.text.includes('<step_header')) printed = last.text
    const [, at = ''] = /step="(\d+)"/.exec(printed) ?? []
    return whims[at]?.shift() ?? (at === '8' ? say('Stop.') : obey(printed, { plan: 'plan.md' }))
  })
  const reviewers = new Set<string>()
  client.model.script('agent', (request) => {
    const last = request.toolResults().at(-1)
    if (last === undefined)
      return run(/Start by invoking: (.*)/.exec(request.userTexts().join('\n'))?.[1] ?? '')
    if (last.text.includes('review-plan')) reviewers.add(request.agentId ?? '')
    // The first reviewer returns after its first step; the second finds something, the third does not.
    const isEarly = reviewers.size === 1 && reviewers.has(request.agentId ?? '')
    const result = reviewers.size === 2 ? 'fail' : 'pass'
    return isEarly ? say('It is good.') : obey(last.text, { context: 'context.md', report: 'qr.md', result })
  })
  const talk = client.open({ env: client.holdfastOnPath(), limit: 170_000 })
  await talk.say('/planner a login page')
  const early = await client.user.json<Shown>(SHOW)
  expect(early).toMatchObject({ status: 'running', current: ['context'] })
  await talk.say('Go on')
  await talk.end()

  const results: readonly ToolResult[] = client.model.last().toolResults()
  const [read, start] = results
  expect(read).toMatchObject({ tool: 'Read', isError: true })
  expect(read?.text).toContain('holdfast step planner --param request=')
  expect(start?.isError).toBe(false)
  const shown = await client.user.json<Shown>(SHOW)
  const visits = Object.fromEntries(shown.steps.map(({ step, attempts }) => [step, attempts]))
  expect(shown.current).toEqual(['diffs'])
  expect(visits).toMatchObject({
    context: 1,
    'testing-strategy': 1,
    approaches: 1,
    assumptions: 1,
    milestones: 2,
    'qr-completeness': 2,
    'qr-completeness-gate': 2,
    diffs: 1,
  })
  expect(reviewers.size).toBe(3)
  // The Read, the skip, two invented ends, the later step, the missing value, the forged review, the other outcome.
  expect(results.filter(({ isError }) => isError)).toHaveLength(7)
  const stop = ['effort', 'finish', '2', '--abandon', 'the plan is good enough']
  expect(await client.user.json(stop)).toMatchObject({ lifecycle: 'finished' })
})

const SHOW = ['rpc', 'step.show', '{"effort_id":2}']

interface Shown {
  readonly current: readonly string[]
  readonly steps: readonly { readonly step: string; readonly attempts: number }[]
}
