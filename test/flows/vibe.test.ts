import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { DaemonStatus } from '../../src/engine/call/context.ts'
import type { Effort } from '../../src/model/effort.ts'
import { HookedClient } from '../hooked-client.ts'
import { type Finished, User } from '../holdfast.ts'
import { lineOf } from '../workflow-user.ts'

vi.setConfig({ testTimeout: 300_000 })

const SKILLS = ['vibe', 'explore', 'prepare', 'implement', 'commit']

/** What an honest agent says where a step asks. */
const VALUES: Readonly<Record<string, string>> = {
  questions: 'answered',
  plan: 'sound',
  tasks: 'none-left',
  checks: 'passed',
  tree: 'changed',
}

/** A user with a git project, the skills of the package and a client with hooks. */
class Viber implements AsyncDisposable {
  readonly user = new User()
  #client = new HookedClient(this.user, 'one', { patient: true })
  #session = 'one'
  effort = 0

  static async arrive(): Promise<Viber> {
    const it = new Viber()
    for (const skill of SKILLS)
      cpSync(`contents/skills/${skill}`, join(it.user.project, '.claude/skills', skill), { recursive: true })
    it.write('README.md', '# A project\n')
    it.git('init', '--quiet', '--initial-branch', 'main')
    it.git('config', 'user.name', 'user')
    it.git('config', 'user.email', 'user@example.com')
    it.commit('First')
    await it.user.run(['init', '--yes'])
    return it
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.user[Symbol.asyncDispose]()
  }

  git(...words: readonly string[]): string {
    const { project: cwd, env } = this.user
    return execFileSync('git', words, { cwd, env, encoding: 'utf8', stdio: 'pipe' }).trim()
  }

  commit(message: string): void {
    this.git('add', '.')
    this.git('commit', '--quiet', '-m', message)
  }

  write(path: string, text: string): void {
    const file = path.startsWith('/') ? path : join(this.user.project, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }

  /** A prompt of the user, in a session that begins with it or goes on; the words that the agent hears. */
  async says(prompt: string, session = this.#session): Promise<string> {
    if (session !== this.#session) this.#client = new HookedClient(this.user, session, { patient: true })
    this.#session = session
    const { context } = await this.#client.fire('UserPromptSubmit', { prompt })
    this.effort = Number(/effort (\d+) of vibe/.exec(context)?.[1] ?? this.effort)
    return context
  }

  /** What a command of ours prints, with its refusal. */
  async run(line: string): Promise<Finished> {
    return await lineOf(this.user, `${line} --native_id ${this.#session}`)
  }

  calls = async (skill: string, args = '') => await this.#client.use('Skill', { skill, args })
  writes = async (file_path: string) => await this.#client.use('Write', { file_path, content: 'x' })
  stops = async () => await this.#client.fire('Stop', { stop_hook_active: false, background_tasks: [] })

  ends = async () => await this.#client.fire('SessionEnd', { reason: 'exit' })

  done = (stage: string) => this.run(`holdfast step done ${stage} --effort ${this.effort}`)
  show = async () => (await this.run(`holdfast step --effort ${this.effort}`)).stdout

  async task(): Promise<string> {
    return (await this.user.json<Effort>(['effort', 'show', `${this.effort}`])).task_id
  }

  /** Calls a skill, and follows it to its end without doing anything else. */
  async follows(skill: string, more = '', values = VALUES): Promise<void> {
    await this.calls(skill)
    await this.obeys(`holdfast step ${skill}${more}`, values)
  }

  /** Runs what each step prints. */
  async obeys(first: string, values = VALUES): Promise<void> {
    let { stdout } = await this.run(first)
    for (;;) {
      const [, line] =
        /INVOKE AFTER: (holdfast .*)/.exec(stdout) ??
        /<invoke_after>\n(?:.*\n)*?(holdfast .*)\n/.exec(stdout) ??
        []
      if (line === undefined) return
      const filled = line.replaceAll(
        /--set '?(\w+)=[^\s']+'?/g,
        (_, name: string) => `--set ${name}=${values[name]}`,
      )
      const { stdout: next, stderr } = await this.run(filled)
      if (next === '') throw new Error(`${filled}: ${stderr}`)
      stdout = next
    }
  }

  async explores(): Promise<Finished> {
    this.write(join(await this.task(), 'research.md'), '# Research\n')
    await this.follows('explore', ' --param request="a login page"')
    return await this.done('explore')
  }

  async prepares(): Promise<Finished> {
    this.write(join(await this.task(), 'plan.md'), '# Plan\n\n- [ ] T1 Write the page\n')
    await this.follows('prepare')
    return await this.done('prepare')
  }

  async implements(): Promise<Finished> {
    const plan = join(await this.task(), 'plan.md')
    this.write('src/login page.html', '<form>\n')
    this.write(plan, readFileSync(plan, 'utf8').replaceAll('- [ ]', '- [x]'))
    this.write(join(dirname(plan), 'checks.log'), 'ok\nexit 0\n')
    await this.follows('implement', '', { ...VALUES, file: plan })
    return await this.done('implement')
  }

  async commits(): Promise<Finished> {
    this.git('add', 'src')
    this.git('commit', '--quiet', '-m', 'login: add a page')
    await this.follows('commit')
    return await this.done('commit')
  }

  async statesOf(): Promise<readonly string[]> {
    const { steps } = await this.user.json<{ steps: readonly { step: string; state: string }[] }>([
      'rpc',
      'step.show',
      `{"effort_id":${this.effort}}`,
    ])
    return steps.map(({ step, state }) => `${step} ${state}`)
  }
}

test('one prompt leads from the request to a commit on a new branch, past the files of the user', async () => {
  await using it = await Viber.arrive()
  it.write('mine.txt', 'A note of the user.')
  const told = await it.says('/vibe add a login page')
  expect(told).toContain(`holdfast step go explore --effort ${it.effort}`)
  const first = await it.run(`holdfast step go explore --effort ${it.effort}`)
  expect(first.stdout).toContain('[1/5] Explore')
  expect(first.stdout).toContain('Call this skill: /explore add a login page')
  expect((await it.explores()).stdout).toContain('[2/5] Prepare')
  expect((await it.prepares()).stdout).toContain('[4/5] Implement')
  expect(it.git('branch', '--show-current')).toBe('vibe/add-a-login-page')
  expect((await it.implements()).stdout).toContain('[5/5] Commit')
  expect((await it.commits()).stdout).toContain(`effort ${it.effort}, finished`)
  expect(it.git('log', '--format=%s', 'main..')).toBe('login: add a page')
  expect(it.git('show', '--format=', '--name-only', 'HEAD')).toBe('src/login page.html')
  expect(it.git('status', '--porcelain')).toBe('?? mine.txt')
})

test('a stage ends by what is on the disk and in git, and a refusal says what is missing', async () => {
  await using it = await Viber.arrive()
  it.git('branch', 'vibe/add-a-login-page')
  await it.says('/vibe add a login page')
  await it.run(`holdfast step go explore --effort ${it.effort}`)
  const refusalOf = async (stage: string) => {
    const { code, stderr } = await it.done(stage)
    expect(code).toBe(1)
    expect(stderr).toContain(`try: holdfast step done ${stage} --effort ${it.effort}`)
    return stderr
  }
  expect((await it.done('explore')).stderr).toContain('Call /explore first.')
  expect((await it.writes(join(it.user.project, 'README.md'))).refusals.join()).toContain('"implement"')
  expect((await it.writes(join(it.user.project, 'plans/research.md'))).refusals).toEqual([])
  await it.follows('explore', ' --param request="a login page"')
  expect(await refusalOf('explore')).toMatch(/research\.md exists; it is missing or empty/)
  expect((await it.stops()).refusals.join()).toContain(`--effort ${it.effort}`)
  await it.explores()

  await it.follows('prepare')
  expect(await refusalOf('prepare')).toContain('It lists no open task, or is missing: call /prepare again.')
  await it.prepares()

  await it.follows('implement', '', { ...VALUES, file: 'plan.md' })
  expect(await refusalOf('implement')).toContain('A task is open: - [ ] T1 Write the page')
  const plan = join(await it.task(), 'plan.md')
  it.write(plan, '- [x] T1 Write the page\n')
  expect(await refusalOf('implement')).toContain('No file has changed since the work began.')
  it.write('src/login page.html', '<form>\n')
  expect(await refusalOf('implement')).toContain('checks.log in the folder of the task is not: exit 0.')
  it.write(join(dirname(plan), 'checks.log'), 'exit 0\n')
  execFileSync('touch', ['-d', '+1 minute', join(it.user.project, 'src/login page.html')])
  expect(await refusalOf('implement')).toContain('src/login page.html has changed after the checks.')
  execFileSync('touch', ['-d', '-1 minute', join(it.user.project, 'src/login page.html')])
  expect((await it.done('implement')).stdout).toContain('[5/5] Commit')

  await it.follows('commit', '', { ...VALUES, tree: 'clean' })
  expect(await refusalOf('commit')).toContain('There is no commit since the work began.')
  it.git('stash', '--include-untracked', '--quiet')
  it.git('commit', '--quiet', '--allow-empty', '-m', 'login: nothing')
  expect(await refusalOf('commit')).toContain('change nothing')
  it.git('reset', '--quiet', '--hard', 'HEAD~1')
  it.git('stash', 'pop', '--quiet')
  it.write('src/more.html', '')
  it.git('add', 'src/login page.html')
  it.git('commit', '--quiet', '-m', 'login: add a page')
  expect(await refusalOf('commit')).toContain('Not committed: src/more.html.')
  it.git('switch', '--quiet', 'main')
  const branch = `vibe/add-a-login-page-${it.effort}`
  expect(await refusalOf('commit')).toContain(`git switch ${branch}`)
  it.git('switch', '--quiet', branch)
  it.commit('login: more')
  expect((await it.done('commit')).stdout).toContain('finished')
})

test('killed between its stages, it goes on in a new session at the stage that is not done', async () => {
  await using it = await Viber.arrive()
  const crash = async () => {
    const { pid } = await it.user.json<DaemonStatus>(['daemon', 'status'])
    process.kill(pid, 'SIGKILL')
  }
  await it.says('/vibe add a login page')
  await it.run(`holdfast step go explore --effort ${it.effort}`)
  const effort = it.effort
  const stages = [
    ['explore', () => it.explores()],
    ['prepare', () => it.prepares()],
    ['implement', () => it.implements()],
    ['commit', () => it.commits()],
  ] as const
  for (const [stage, work] of stages) {
    await it.ends()
    await crash()
    const told = await it.says('/vibe --continue', `before-${stage}`)
    expect(told).toContain(`effort ${effort} of vibe, "add a login page"`)
    expect(await it.show()).toMatch(new RegExp(`\\[\\d/5\\] ${stage}`, 'i'))
    await work()
  }
  expect(await it.statesOf()).toEqual([
    'explore completed',
    'prepare completed',
    'branch completed',
    'implement completed',
    'commit completed',
  ])
  expect(it.git('log', '--format=%s', 'main..')).toBe('login: add a page')
})

test('a session that ends in the middle of a skill leaves it to the next one, with its steps', async () => {
  await using it = await Viber.arrive()
  await it.says('/vibe add a login page')
  await it.run(`holdfast step go explore --effort ${it.effort}`)
  await it.calls('explore')
  await it.run('holdfast step explore --param request="a login page"')
  const inner = it.effort + 1
  await it.run(`holdfast step done ask --effort ${inner} --visit 1`)
  await it.ends()
  await it.says('/vibe --continue', 'two')
  const shown = await it.show()
  expect(shown).toContain(`Go on with it: holdfast session continue ${inner}`)
  const { stdout } = await it.run(`holdfast session continue ${inner}`)
  expect(stdout).toContain(`holdfast step --effort ${inner}`)
  expect((await it.run(`holdfast step --effort ${inner}`)).stdout).toContain('STEP 2/4: Answer the questions')
  it.write(join(await it.task(), 'research.md'), '# Research\n')
  await it.obeys(`holdfast step --effort ${inner}`)
  expect((await it.done('explore')).stdout).toContain('[2/5] Prepare')
})

test('--dry-run ends with the plan and changes nothing, wherever the agent says otherwise', async () => {
  await using it = await Viber.arrive()
  it.write('README.md', '# Changed by the user\n')
  const before = it.git('status', '--porcelain', '--branch')
  await it.says('/vibe --dry-run add a login page')
  const first = await it.run(`holdfast step go explore --effort ${it.effort}`)
  expect(first.stdout).toContain('[1/3] Explore')
  expect(first.stdout).toContain('Call this skill: /explore add a login page\n')
  await it.explores()
  await it.calls('prepare')
  await it.run('holdfast step prepare')
  expect((await it.writes(join(it.user.project, 'README.md'))).refusals.join()).toContain(
    'may be changed only',
  )
  await it.prepares()
  await it.run(`holdfast step done show --effort ${it.effort} --set dry_run=no`)
  expect(await it.statesOf()).toEqual(['explore completed', 'prepare completed', 'show completed'])
  expect(await it.show()).toContain('finished')
  expect(it.git('status', '--porcelain', '--branch')).toBe(before)
  expect(existsSync(join(await it.task(), 'plan.md'))).toBe(true)
})

test('--no-branch stays on the branch, and changes that nobody committed stop the work before it begins', async () => {
  await using it = await Viber.arrive()
  await it.says('/vibe add a login page --no-branch')
  await it.run(`holdfast step go explore --effort ${it.effort}`)
  await it.explores()
  it.write('README.md', '# Changed by the user\n')
  const { stdout, stderr } = await it.prepares()
  expect(stderr).toContain(
    'Changes that are not of this work: README.md. The user must keep them apart first',
  )
  expect(stdout).toContain('[3/5] Choose the branch')
  expect(readFileSync(join(it.user.project, 'README.md'), 'utf8')).toBe('# Changed by the user\n')
  it.git('stash')
  expect(await it.show()).toContain('[4/5] Implement')
  await it.implements()
  await it.commits()
  expect(it.git('log', '--format=%s', 'main')).toBe('login: add a page\nFirst')
  expect(it.git('branch', '--format=%(refname:short)')).toBe('main')
  it.git('stash', 'pop')
  expect(readFileSync(join(it.user.project, 'README.md'), 'utf8')).toBe('# Changed by the user\n')
})

test('a stage that failed twice waits for the user, and goes on where it stood', async () => {
  await using it = await Viber.arrive()
  await it.says('/vibe add a login page')
  const step = (words: string) => it.run(`holdfast step ${words} --effort ${it.effort}`)
  await step('go explore')
  await step('fail explore --reason "the code is gone"')
  const { code, stdout } = await step('fail explore --reason "the code is gone"')
  expect(code).toBe(1)
  expect(stdout).toContain(`holdfast effort approve ${it.effort} explore --reason`)
  expect((await it.done('explore')).code).toBe(1)
  await it.user.run(['effort', 'approve', `${it.effort}`, 'explore', '--reason', 'it is back'])
  await step('go explore')
  expect((await it.explores()).stdout).toContain('[2/5] Prepare')
})
