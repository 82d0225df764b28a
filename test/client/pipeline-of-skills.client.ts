import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ChainView } from '../../src/model/chain/view.ts'
import { RealClient } from './client.ts'
import type { ModelRequest, ToolResult } from './model-request.ts'
import { say, type Turn, use } from './model-server.ts'
import { obey, run } from './obeying.ts'

const SKILLS = ['design', 'plan-adhoc', 'orchestrate', 'handoff', 'commit']

/** The command with which each skill begins, as its text says. */
const FIRST: Readonly<Record<string, string>> = {
  design: 'holdfast step design --param request="a counter"',
  'plan-adhoc': 'holdfast step plan-adhoc --param request=plans/counter/design.md',
  orchestrate: 'holdfast runbook next plans/counter',
  handoff: 'holdfast step handoff --param commit=no',
  commit: 'holdfast step commit --param scope="all of it"',
}

const item = (number: string, title: string, file: string) => `## Step ${number}: ${title}

**Execution Model**: haiku

**Result**: \`${file}\` exists.

**Files**: create \`${file}\`

**Check**: \`test -s ${file}\` exits with 0.
`
const RUNBOOK = `---
type: general
model: haiku
---

# A counter

## Common Context

A counter that counts.

### Phase 1: Counter

${item('1.1', 'Write the counter', 'src/counter.js')}
${item('1.2', 'Write its guide', 'docs/counter.md')}`

/** What the model does in a step of a skill before it ends it. */
const DEEDS: Readonly<Record<string, readonly Turn[]>> = {
  'design write': [run("mkdir -p plans/counter && echo '# Design: a counter' > plans/counter/design.md")],
  'plan-adhoc runbook': [
    run(`cat > plans/counter/runbook.md <<'END'\n${RUNBOOK}END`),
    run('holdfast runbook check plans/counter'),
  ],
  'plan-adhoc compile': [
    run('holdfast runbook compile plans/counter'),
    run('git add plans/counter .claude/agents && git commit -q -m "plans: add the runbook of counter"'),
  ],
  'handoff tasks': [run('holdfast todo add "Count down too" --command "/design count down"')],
  'handoff write': [
    run("holdfast handoff write --status 'It counts' --completed '- The counter' --next '- Count down'"),
  ],
  'handoff check': [run('holdfast todo check')],
  'handoff next': [run('holdfast handoff next')],
  'commit check': [run('holdfast todo check --stage')],
  'commit commit': [run('git add agents plans && git commit -q -m "session: hand over the counter"')],
  'commit status': [run('holdfast handoff')],
}

/** What the model says where a step asks. */
const VALUES = {
  questions: 'none',
  design: 'plans/counter/design.md',
  decisions: 'settled',
  files: 'over-15',
  lines: '100-and-more',
  components: '1',
  runbook: 'plans/counter/runbook.md',
  tree: 'changed',
  checks: 'passed',
  result: 'pass',
  report: 'review.md',
}

/** How each skill ends that returns a result. */
const RESULTS: Readonly<Record<string, object>> = {
  design: { design: VALUES.design },
  'plan-adhoc': { tier: 'runbook', runbook: VALUES.runbook },
}

const NEXT = /call the Skill tool with skill "([^"]+)" and args "([^"]*)"/
const STEP = /<step_header|^STEP \d/m
const HAND = /^agent: (\S+)\nmodel: (\S+)\n[^]*?^-----\n([^]*?)\n-----$/m

/** The main thread: it does what is printed, and nothing by itself. */
class Obedient {
  #skill = 'design'
  #printed = ''
  #deeds: readonly Turn[] = []
  /** The skills that it called. */
  readonly called: string[] = []

  next(request: ModelRequest): Turn {
    const last = request.toolResults().at(-1)
    const heard = request.lastUserText().startsWith('Stop hook feedback')
      ? request.lastUserText()
      : last?.text
    const [, skill, args] = (last?.tool === 'Skill' ? undefined : NEXT.exec(heard ?? '')) ?? []
    if (skill !== undefined) {
      this.#skill = skill
      this.called.push(skill)
      return use('Skill', { skill, args })
    }
    if (last === undefined || last.tool === 'Skill') return run(FIRST[this.#skill] ?? '')
    return this.#skill === 'orchestrate' ? this.#handOut(last) : this.#follow(last)
  }

  /** A workflow prints each step with the command that leads on. */
  #follow({ tool, text }: { readonly tool: string; readonly text: string }): Turn {
    if (tool === 'Agent') return run(`holdfast step --effort ${/--effort (\d+)/.exec(this.#printed)?.[1]}`)
    const [, effort] = /holdfast effort finish (\d+) --result/.exec(text) ?? []
    const result = JSON.stringify(RESULTS[this.#skill])
    if (effort !== undefined) return run(`holdfast effort finish ${effort} --result '${result}'`)
    if (STEP.test(text)) {
      this.#printed = text
      const [, step] = /holdfast step done (\S+)/.exec(text) ?? []
      this.#deeds = DEEDS[`${this.#skill} ${step}`] ?? []
    }
    const [deed, ...more] = this.#deeds
    this.#deeds = more
    if (deed !== undefined) return deed
    return text.includes(', finished') ? say('It is done.') : obey(this.#printed, VALUES)
  }

  /** A runbook prints the agent, its model and its prompt, and then the command of the report. */
  #handOut({ tool, text, isError }: ToolResult): Turn {
    const [, own = '', model, prompt = ''] = HAND.exec(this.#printed) ?? []
    const hand = (subagent_type: string, before = '') => {
      const call = { description: 'Do it', subagent_type, model, prompt: `${before}${prompt}` }
      return use('Agent', { ...call, run_in_background: false })
    }
    if (tool === 'Agent' && isError)
      return hand(
        'general-purpose',
        `Read .claude/agents/${own}.md first, and follow it as your instructions.\n`,
      )
    if (tool === 'Agent')
      return run(/run: (holdfast runbook report \S+ done .*)/.exec(this.#printed)?.[1] ?? '')
    if (HAND.test(text) && text !== this.#printed) {
      this.#printed = text
      return this.#handOut({ tool, text, isError })
    }
    if (HAND.test(text)) return hand(own)
    const [, next] = /(holdfast runbook next --effort \d+)/.exec(text) ?? []
    return next === undefined ? say('The runbook is done.') : run(next)
  }
}

/** A sub-agent: it follows its review to the end, or does its step of the runbook and answers in one line. */
function child(request: ModelRequest): Turn {
  const prompt = request.userTexts().join('\n')
  const results = request.toolResults()
  const last = results.at(-1)
  const [, first] = /Start by invoking: (.*)/.exec(prompt) ?? []
  if (first !== undefined) return last === undefined ? run(first) : obey(last.text, VALUES)
  if (last !== undefined) return say('done: it is there')
  const [, report = ''] = /Write your report to (\S+?)\.?$/m.exec(prompt) ?? []
  const reported = `mkdir -p $(dirname ${report}) && echo done > ${report}`
  const [, step] = /^Read plans\/counter\/steps\/(step-\d-\d)/m.exec(prompt) ?? []
  if (step === undefined) return run(reported)
  const file = step === 'step-1-1' ? 'src/counter.js' : 'docs/counter.md'
  const made = `mkdir -p src docs && echo count > ${file} && git add ${file} ${report}`
  return run(`${reported} && ${made} && git commit -q -m "counter: add ${file}"`)
}

test('three skills and their exits carry a request from the prompt to the commit', async () => {
  await using client = await RealClient.start()
  const git = (...words: readonly string[]) =>
    execFileSync('git', words, { cwd: client.project, env: client.user.env, encoding: 'utf8' })
  for (const [name, value] of [
    ['user.name', 'user'],
    ['user.email', 'user@example.com'],
  ] as const)
    git('config', name, value)
  for (const skill of SKILLS)
    cpSync(`contents/skills/${skill}`, join(client.project, '.claude/skills', skill), { recursive: true })
  cpSync('contents/agents', join(client.project, '.claude/agents'), { recursive: true })
  git('add', '.')
  git('commit', '--quiet', '-m', 'Skills')
  await client.user.json(['init', '--scope', 'user', '--allow-skills', '--yes'])

  const obedient = new Obedient()
  client.model.script('main', (request) => obedient.next(request))
  client.model.script('agent', child)
  const talk = client.open({ env: client.holdfastOnPath(), limit: 170_000 })
  await talk.say('/design a counter, /plan-adhoc and /orchestrate')
  await talk.end()

  expect(obedient.called).toEqual(['plan-adhoc', 'orchestrate', 'handoff', 'commit'])
  const [chain] = await client.user.json<readonly ChainView[]>(['chain', 'list', '--ended'])
  expect(chain?.frames.map(({ skill, status }) => `${skill} ${status}`)).toEqual(
    SKILLS.map((skill) => `${skill} completed`),
  )
  for (const { skill, result } of chain?.frames ?? []) expect(result).toEqual(RESULTS[skill] ?? null)
  expect(git('log', '--format=%s').trim().split('\n')).toEqual([
    'session: hand over the counter',
    'counter: add docs/counter.md',
    'counter: add src/counter.js',
    'plans: add the runbook of counter',
    'Skills',
    'First',
  ])
  expect(git('status', '--porcelain')).toBe('')
  // A client reads its agents at the start, so it does not know those of the new runbook.
  const errors = client.model
    .last()
    .toolResults()
    .filter(({ isError }) => isError)
  expect(errors.map(({ tool, text }) => `${tool}: ${text.split('.')[0]}`)).toEqual([
    "Agent: Agent type 'counter-task' not found",
    "Agent: Agent type 'counter-task' not found",
  ])
  const agents = client.model.of('agent')
  expect(agents.some((request) => request.mentions('call the Skill tool'))).toBe(false)
  const handed = agents.filter((request) => request.mentions('Read plans/counter/steps/'))
  expect(handed.every(({ body }) => body.model.includes('haiku'))).toBe(true)
  expect(git('show', 'HEAD:agents/session.md')).toContain('**Status:** It counts')
})
