import { execFileSync } from 'node:child_process'
import {
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { byName } from '../../src/skills/text/text.ts'
import { User } from '../holdfast.ts'

let user: User
beforeEach(() => {
  user = new User()
  onTestFinished(() => user[Symbol.asyncDispose]())
})

function put(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(user.project, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

const git = (...words: readonly string[]): string =>
  execFileSync('git', ['-C', user.project, '-c', 'user.name=me', '-c', 'user.email=me@localhost', ...words], {
    encoding: 'utf8',
    env: user.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })

/** The files and links of the project, and what they say. */
const tree = () =>
  readdirSync(user.project, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.startsWith('.git/') && path !== '.git')
    .toSorted(byName)

const STEPS =
  '---\nmodel: haiku\n---\n\n## Common Context\n\nFor all.\n\n## Step 1: Look\n\nLook.\n\n## Step 2: Do\n\nDo.\n'
const CYCLES =
  '---\nmodel: haiku\n---\n\n## Cycle 1.1: Go\n\n**Dependencies**: none\n\n### RED Phase\n\nFail.\n\n### GREEN Phase\n\nPass.\n\n### Stop Conditions\n\nNone.\n'

describe('runbook check', () => {
  test('prints problems as a compiler does, and exits with 1 on errors', async () => {
    put({ 'plans/auth/runbook.md': '## Step 1: Look\n\n## Step Two: Do\n' })
    const { code, stdout } = await user.run(['runbook', 'check', 'auth'])
    expect(code).toBe(1)
    expect(stdout).toContain('plans/auth/runbook.md:1:1: error HF407: Step 1 has no model.')
    expect(stdout).toContain('plans/auth/runbook.md:3:1: error HF401: "Step Two: Do" is not read as a step.')
    expect(stdout).toContain('3 | ## Step Two: Do')
    const { diagnostics } = JSON.parse((await user.run(['--json', 'runbook', 'check'])).stdout) as {
      diagnostics: readonly { code: string }[]
    }
    expect(diagnostics.map((one) => one.code)).toEqual(['HF407', 'HF401'])
  })

  test('finds runbooks by folder, file, phase file and name, also in another folder of plans', async () => {
    put({
      'plans/auth/runbook.md': STEPS,
      'plans/mail/runbook-phase-1.md': STEPS.replaceAll('Step ', 'Step 1.'),
      'other/shop/runbook.md': STEPS,
      'notes/today.md': STEPS,
    })
    const names = async (...words: readonly string[]) => {
      const { runbooks } = JSON.parse((await user.run(['--json', 'runbook', 'check', ...words])).stdout) as {
        runbooks: readonly { folder: string; steps: number; errors: number }[]
      }
      return runbooks.map(({ folder, steps, errors }) => `${folder} ${steps} ${errors}`)
    }
    expect(await names()).toEqual(['plans/auth 2 0', 'plans/mail 2 0'])
    expect(await names('plans/mail')).toEqual(['plans/mail 2 0'])
    expect(await names('plans/mail/runbook-phase-1.md')).toEqual(['plans/mail 2 0'])
    expect(await names('notes/today.md')).toEqual(['notes 2 0'])
    expect((await user.run(['runbook', 'check', 'shop'])).code).not.toBe(0)
    put({ '.holdfast/config.yaml': 'plans: other/\n' })
    expect(await names('shop')).toEqual(['other/shop 2 0'])
  })

  test('says what is there instead of a runbook that it does not find', async () => {
    put({ 'plans/auth/runbook.md': STEPS })
    expect((await user.run(['runbook', 'check', 'auht'])).stderr).toContain('holdfast runbook check auth')
    expect((await user.run(['runbook', 'check', ''])).code).not.toBe(0)
    rmSync(join(user.project, 'plans'), { recursive: true })
    expect((await user.run(['runbook', 'check'])).stderr).toContain('plans/NAME/runbook.md')
  })
})

describe('runbook compile', () => {
  test('writes steps, plan and agents, the same bytes each time, and agents that clients accept', async () => {
    put({ 'plans/auth/runbook.md': CYCLES })
    expect(await user.run(['runbook', 'compile', 'auth'])).toMatchObject({ code: 0, stderr: '' })
    expect(readdirSync(join(user.project, 'plans/auth/steps'))).toEqual([
      'step-1-1-impl.md',
      'step-1-1-test.md',
    ])
    const roles = ['corrector', 'impl-corrector', 'implementer', 'task', 'test-corrector', 'tester']
    const agents = join(user.project, '.claude/agents')
    expect(readdirSync(agents).toSorted(byName)).toEqual(roles.map((role) => `auth-${role}.md`))
    const plan = readFileSync(join(user.project, 'plans/auth/orchestrator-plan.md'), 'utf8')
    expect(plan).toContain('- step-1-1-test.md | Phase 1 | haiku | 30 | TEST\n')
    expect(plan).toContain('- step-1-1-impl.md | Phase 1 | haiku | 30 | IMPLEMENT | PHASE_BOUNDARY\n')
    const checked = await user.run(['skill', 'check', '.claude/agents', '--notes'])
    expect(checked.stdout).toContain('6 agents, 0 errors, 0 warnings')
    const before = tree()
    const again = await user.json<{ changed: boolean }>(['runbook', 'compile', 'auth'])
    expect([again.changed, tree()]).toEqual([false, before])
  })

  test('with errors, leaves the last output as it is', async () => {
    put({ 'plans/auth/runbook.md': STEPS })
    await user.run(['runbook', 'compile', 'auth'])
    const before = tree()
    put({ 'plans/auth/runbook.md': `${STEPS}\n## Step 2: Again\n` })
    const { code, stdout } = await user.run(['runbook', 'compile', 'auth'])
    expect(code).toBe(1)
    expect(stdout).toContain('HF402')
    expect(tree()).toEqual(before)
  })

  test('replaces steps and agents that the runbook no longer has', async () => {
    put({ 'plans/auth/runbook.md': CYCLES })
    await user.run(['runbook', 'compile', 'auth'])
    put({ 'plans/auth/runbook.md': STEPS })
    await user.run(['runbook', 'compile', 'auth'])
    expect(readdirSync(join(user.project, 'plans/auth/steps'))).toEqual(['step-1.md', 'step-2.md'])
    expect(readdirSync(join(user.project, '.claude/agents'))).toEqual(['auth-corrector.md', 'auth-task.md'])
    expect(globSync(join(user.project, 'plans/auth/compiled-*'))).toHaveLength(1)
  })

  test('never replaces the files of somebody else', async () => {
    put({ 'plans/auth/runbook.md': STEPS, '.claude/agents/auth-task.md': 'Mine.\n' })
    const before = tree()
    const { code, stderr } = await user.run(['runbook', 'compile', 'auth'])
    expect(code).not.toBe(0)
    expect(stderr).toContain('nothing written')
    expect(tree()).toEqual(before)
  })

  test('stages what it wrote and what is gone, and says what git says', async () => {
    put({ 'plans/auth/runbook.md': CYCLES })
    expect((await user.run(['runbook', 'compile', 'auth', '--stage'])).stdout).toContain(
      'not a git repository',
    )
    git('init', '-q')
    expect(await user.run(['runbook', 'compile', 'auth', '--stage'])).toMatchObject({ code: 0 })
    git('add', 'plans/auth/runbook.md')
    git('commit', '-q', '-m', 'Plan')
    expect(git('status', '--porcelain')).toBe('')
    put({ 'plans/auth/runbook.md': STEPS })
    await user.run(['runbook', 'compile', 'auth', '--stage'])
    git('add', 'plans/auth/runbook.md')
    git('commit', '-q', '-m', 'Plan again')
    expect(git('status', '--porcelain')).toBe('')
    expect(lstatSync(join(user.project, 'plans/auth/steps')).isSymbolicLink()).toBe(true)
    put({ '.gitignore': '.claude\n', 'plans/auth/runbook.md': CYCLES })
    const refused = await user.run(['runbook', 'compile', 'auth', '--stage'])
    expect(refused.code).toBe(1)
    expect(refused.stdout).toContain('git did not stage it')
    expect(refused.stdout).toContain('fix: git --literal-pathspecs add -A -- ')
  })

  test('stages only its own files, whatever their names mean to git', async () => {
    const [own, other] = ['plans/a[b]*/auth', 'plans/ab/auth/orchestrator-plan.md']
    const staged = () => git('diff', '--cached', '--name-only', '-z').split('\0').filter(Boolean)
    git('init', '-q')
    put({ [`${own}/runbook.md`]: STEPS, [other]: 'Of somebody else.\n' })
    expect(await user.run(['runbook', 'compile', own, '--stage'])).toMatchObject({ code: 0, stderr: '' })
    expect(staged()).toContain(`${own}/orchestrator-plan.md`)
    git('add', '-A')
    git('commit', '-q', '-m', 'Plan')
    put({ [`${own}/runbook.md`]: STEPS.replace('Look.', 'Look well.'), [other]: 'Changed.\n' })
    expect(await user.run(['runbook', 'compile', own, '--stage'])).toMatchObject({ code: 0, stderr: '' })
    expect(staged().length).toBeGreaterThan(1)
    expect(staged()).not.toContain(other)
  })

  // Elsewhere, the sandbox is another program.
  test.runIf(process.platform === 'linux')('at level locked, runs git in our sandbox', async () => {
    const [bin, calls] = [join(user.folder, 'bin'), join(user.folder, 'calls')]
    mkdirSync(bin)
    const bwrap = `#!/bin/sh\necho "$*" >> '${calls}'\nwhile [ "$1" != git ]; do shift; done\nexec "$@"\n`
    for (const [name, text] of Object.entries({ bwrap, socat: '#!/bin/sh\n' }))
      writeFileSync(join(bin, name), text, { mode: 0o755 })
    Object.assign(user, { env: { ...user.env, PATH: `${bin}:${user.env['PATH']}` } })
    git('init', '-q')
    put({ 'plans/auth/runbook.md': STEPS })
    await user.wire(['--locked'])
    // Files of a repository name programs that run when git adds something.
    expect(await user.run(['runbook', 'compile', 'auth', '--stage'])).toMatchObject({ code: 0 })
    expect(existsSync(calls) && readFileSync(calls, 'utf8')).toContain('add -A -- ')
    expect(git('status', '--porcelain')).toContain('A  plans/auth/orchestrator-plan.md')
  })

  test('refuses an unknown model, and takes the one that it is given', async () => {
    put({ 'plans/auth/runbook.md': STEPS.replace('model: haiku', 'name: auth') })
    expect((await user.run(['runbook', 'compile', 'auth'])).stdout).toContain('HF407')
    expect((await user.run(['runbook', 'compile', 'auth', '--model', 'gpt'])).stderr).toContain(
      '--model sonnet',
    )
    expect((await user.run(['runbook', 'compile', 'auth', '--model', 'opus'])).code).toBe(0)
    expect(readFileSync(join(user.project, 'plans/auth/steps/step-1.md'), 'utf8')).toContain(
      '**Execution Model**: opus',
    )
  })
})
