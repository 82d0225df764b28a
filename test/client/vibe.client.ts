import { execFileSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RealClient } from './client.ts'
import type { ModelRequest } from './model-request.ts'
import { say, type Turn, use } from './model-server.ts'
import { obey, run } from './obeying.ts'

const SKILLS = ['vibe', 'explore', 'prepare', 'implement', 'commit']

/** The first command of each skill, as its SKILL.md says. */
const FIRST: Readonly<Record<string, string>> = {
  explore: 'holdfast step explore --param request="a login page"',
  prepare: 'holdfast step prepare',
  implement: 'holdfast step implement',
  commit: 'holdfast step commit',
}

/** What the model says where a step asks, whether it is true or not. */
const VALUES = {
  questions: 'answered',
  plan: 'sound',
  file: 'plan.md',
  tasks: 'none-left',
  checks: 'passed',
  tree: 'changed',
}

/** What the model does before it begins: it jumps to the end, and claims that all is done. */
const WHIMS: readonly Turn[] = [
  use('Skill', { skill: 'commit', args: 'all of it' }),
  run('holdfast step done commit --effort 2'),
  run('holdfast step go commit --effort 2'),
  run('holdfast effort finish 2'),
  say('I have added the page and committed it.'),
]

/** What the model does once a refusal has said what is missing, and never before. */
const MENDS: readonly (readonly [why: RegExp, mend: (task: string) => Turn])[] = [
  [/research\.md exists/, (task) => run(`mkdir -p ${task} && echo '# Research' >${task}/research.md`)],
  [/lists no open task/, (task) => run(`printf -- '- [ ] T1 Write the page\\n' >${task}/plan.md`)],
  [/task is open/, (task) => run(`sed -i 's/\\[ \\]/[x]/' ${task}/plan.md`)],
  [/No file has changed/, () => run("mkdir -p src && echo '<form>' >src/login.html")],
  [
    /checks\.log/,
    (task) => run(`( test -s src/login.html ) >${task}/checks.log; echo "exit $?" >>${task}/checks.log`),
  ],
  [/no commit since/, () => run('git add src && git commit --quiet -m "login: add a page"')],
]

/** It reports each stage at once, and does its work only where it is refused. */
class Idler {
  #queue: Turn[] = [...WHIMS]
  #skill = ''
  #task = ''
  /** Stops at this stage, for another session. */
  stopsAt: string | undefined
  readonly stages: string[] = []

  next(request: ModelRequest): Turn {
    const last = request.toolResults().at(-1)
    const text = last?.text ?? ''
    this.#task = /(\S*\.holdfast\/tasks\/[\w-]+)/.exec(text)?.[1] ?? this.#task
    const [, stage = ''] = /^\[\d\/5\] (.+?) {2}/m.exec(text) ?? []
    if (stage !== '' && this.stages.at(-1) !== stage) {
      this.stages.push(stage)
      this.#queue = [run(`holdfast step done ${stage.toLowerCase()} --effort 2`)]
    }
    if (stage === this.stopsAt) return say('That is enough for today.')
    return this.#queue.shift() ?? this.#react(last?.tool, text)
  }

  #react(tool: string | undefined, text: string): Turn {
    if (tool === undefined) return run('holdfast step go explore --effort 2')
    if (tool === 'Skill') return run(FIRST[this.#skill] ?? 'holdfast step --effort 2')
    if (text.includes('effort 2, finished')) return say('It is done.')
    const [, skill, args] = /Call this skill: \/(\S+)\s+(.*)/.exec(text) ?? []
    if (skill !== undefined) {
      this.#skill = skill
      return use('Skill', { skill, args })
    }
    if (/<step_header|^STEP \d/m.test(text)) return obey(text, VALUES)
    const [, next] = /(?:next|Now): (holdfast step (?:done|go) \w+ --effort 2)/.exec(text) ?? []
    if (next !== undefined) return run(next)
    const [, refused] = /Next: run (holdfast step[^\n.]*)/.exec(text) ?? []
    if (refused !== undefined) return run(refused)
    const mend = MENDS.find(([why]) => why.test(text))
    const [, again = 'holdfast step --effort 2'] = /try: (holdfast .*)/.exec(text) ?? []
    if (mend === undefined) return run(again)
    this.#queue = [run(again)]
    return mend[1](this.#task)
  }
}

test('one prompt ends in a commit, over two sessions, with a model that claims everything and does nothing by itself', async () => {
  await using client = await RealClient.start()
  const git = (...words: readonly string[]) =>
    execFileSync('git', words, { cwd: client.project, env: client.user.env, encoding: 'utf8' }).trim()
  for (const [name, value] of [
    ['user.name', 'user'],
    ['user.email', 'user@example.com'],
  ] as const)
    git('config', name, value)
  for (const skill of SKILLS)
    cpSync(`contents/skills/${skill}`, join(client.project, '.claude/skills', skill), { recursive: true })
  git('add', '.')
  git('commit', '--quiet', '-m', 'Skills')
  writeFileSync(join(client.project, 'mine.txt'), 'A note of the user.')
  await client.user.json(['init', '--scope', 'user', '--allow-skills', '--yes'])

  const idler = new Idler()
  idler.stopsAt = 'Implement'
  client.model.script('main', (request) => idler.next(request))
  const first = client.open({ env: client.holdfastOnPath(), limit: 170_000 })
  await first.say('/vibe a login page')
  await first.say('Go on')
  await first.end()
  expect(idler.stages).toEqual(['Explore', 'Prepare', 'Implement'])

  idler.stopsAt = undefined
  const second = client.open({ env: client.holdfastOnPath(), limit: 170_000 })
  await second.say('/vibe --continue')
  await second.end()
  expect(idler.stages).toEqual(['Explore', 'Prepare', 'Implement', 'Commit'])
  expect(git('log', '--format=%s', '-2')).toBe('login: add a page\nSkills')
  const refusals = client.model
    .last()
    .toolResults()
    .filter(({ isError }) => isError)
  const missing = ['A task is open', 'No file has changed', 'checks.log', 'There is no commit since']
  expect(missing.filter((words) => !refusals.some(({ text }) => text.includes(words)))).toEqual([])
  expect(git('branch', '--show-current')).toBe('vibe/a-login-page')
  expect(git('status', '--porcelain')).toBe('?? mine.txt')
  const steps = ['explore', 'prepare', 'branch', 'implement', 'commit']
  const shown = await client.user.json<Shown>(['rpc', 'step.show', '{"effort_id":2}'])
  expect({ status: shown.status, steps: shown.steps.map(({ step, state }) => `${step} ${state}`) }).toEqual({
    status: 'finished',
    steps: steps.map((step) => `${step} completed`),
  })
})

interface Shown {
  readonly status: string
  readonly steps: readonly { readonly step: string; readonly state: string }[]
}
