import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { type Io, systemIo } from '../../src/cli/frame/io.ts'
import { changedIn, workTreeOf } from '../../src/cli/step/work-tree.ts'
import { Remote } from '../../src/cli/daemon/remote.ts'
import type { DaemonStatus } from '../../src/engine/call/context.ts'
import { git } from '../git.ts'
import { ENTRY, User } from '../holdfast.ts'

vi.setConfig({ testTimeout: 240_000 })

const STEPS = `---
model: haiku
---

## Step 1: Look around

Look.

## Step 2: Build it

**Execution Model**: opus

Build.
`

const as = (env: Io['env']): Io => ({ ...systemIo(false), env, entry: ENTRY })

/** A repository with a committed runbook, and what its orchestrator does. */
async function orchestrating(user: User) {
  const put = (path: string, text: string) => {
    mkdirSync(join(user.project, path, '..'), { recursive: true })
    writeFileSync(join(user.project, path), text)
  }
  const commit = async () => {
    await git(user.project, 'add', '-A')
    await git(user.project, 'commit', '-q', '-m', 'work', '--allow-empty')
  }
  const run = async (...words: readonly string[]) => await user.run(['runbook', ...words])
  const json = async (...words: readonly string[]) => JSON.parse((await run(...words, '--json')).stdout)
  await git(user.project, 'init', '-q')
  put('plans/auth/runbook.md', STEPS)
  await run('compile', 'auth')
  await commit()
  return { put, commit, run, json }
}

test('a runbook on the command line: one thing to do at a time, with the commands to copy', async () => {
  await using user = new User()
  const { put, commit, run, json } = await orchestrating(user)
  const first = await run('next', 'auth')
  expect(first.stdout).toBe(
    [
      '[1/3] step-1 Look around (Phase 1, try 1 of 3)',
      'Start exactly one sub-agent (Agent tool) and wait for its answer. Do nothing else meanwhile.',
      'agent: auth-task',
      'model: haiku',
      'max turns: 30',
      'prompt: what stands between the lines, unchanged',
      '-----',
      `Work in ${user.project}; all paths here are relative to it.`,
      'Read plans/auth/steps/step-1.md and do exactly what it says, nothing else.',
      'Write your report to plans/auth/reports/step-1.md.',
      'Commit what you changed, all of it, before you answer.',
      'Answer with one line and nothing else:',
      'done: what now holds',
      'error: CATEGORY: what stopped you',
      'CATEGORY is one of prerequisite (something that the step needs is missing), execution (a command or check still fails), unexpected (the result differs from what the step says), ambiguity (the step can be read in two ways, or leaves a decision open), misalignment (the step contradicts what another step has done).',
      '-----',
      'If it answers "done: …", run: holdfast runbook report step-1 done --visit 1 --effort 2',
      `If it answers "error: CATEGORY: …", run: holdfast runbook report step-1 error --visit 1 --effort 2 --category CATEGORY --reason '____'`,
      'Replace CATEGORY with its word and ____ with the rest of the answer.',
      '',
    ].join('\n'),
  )
  // The name of a report may be anything, and nobody has to commit it.
  put('plans/auth/reports/step 1 ü.md', 'It went well.')
  const unwritten = await run('report', 'step-1', 'done', '--visit', '1', '--effort', '2')
  expect(unwritten.code).toBe(1)
  expect(unwritten.stderr).toContain('Step "step-1" has no report: plans/auth/reports/step-1.md is missing.')
  expect(unwritten.stderr).toContain(
    "holdfast runbook report step-1 error --visit 1 --effort 2 --category unexpected --reason 'it wrote no report'",
  )
  put('plans/auth/reports/step-1.md', 'It went well.')
  const reported = await run('report', 'step-1', 'done', '--visit', '1', '--effort', '2')
  expect(reported.stdout).toBe('Step step-1: done.\nnext: holdfast runbook next --effort 2\n')
  put('src/a b.ts', 'export {}')
  const dirty = await run('next', '--effort', '2')
  expect(dirty.code).toBe(1)
  expect(dirty.stderr).toContain('Step step-1 is done, but not everything is committed: src/a b.ts.')
  expect(dirty.stderr).toContain(`git -C ${user.project} add -- 'src/a b.ts'`)
  await commit()
  expect(await json('next', '--effort', '2')).toMatchObject({
    effort: 2,
    step: 'step-2',
    agent: 'auth-task',
    model: 'opus',
    max_turns: 30,
    report_path: 'plans/auth/reports/step-2.md',
    command_done: 'holdfast runbook report step-2 done --visit 1 --effort 2',
  })
  const failed = await run(
    'report',
    'step-2',
    'error',
    '--category',
    'execution error',
    '--reason',
    'two tests fail',
  )
  expect(failed.stdout).toContain('Stop here and tell the user')
  expect(failed.stdout).toContain("only the user can run: holdfast effort approve 2 step-2 --reason '____'")
  expect(await run('next', 'auth')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('Limit reached'),
  })
  expect((await run('status', 'auth')).stdout).toMatch(/^step-2\s+Phase 1\s+failed\s+1 of 1\s+opus\s+fail/m)
  await user.json(['effort', 'approve', '2', 'step-2', '--reason', 'the flake is known'])
  expect(await json('next')).toMatchObject({ step: 'step-2', attempt: 2, resumed: false })
  expect((await user.run(['step', '--effort', '2'])).stdout).toContain(
    'next: holdfast runbook next --effort 2',
  )
  expect((await user.run(['status'])).stdout).toContain('step-2')
  expect((await user.run(['effort', 'show', '2'])).stdout).toContain('holdfast runbook next --effort 2')
  expect(await run('report', 'step-2', 'perhaps')).toMatchObject({ code: 64 })
  expect(await run('next', 'nothing')).toMatchObject({ code: 66 })
})

test('of several runbooks the caller must name one, and an inline phase says how it may fail', async () => {
  await using user = new User()
  const { put, commit } = await orchestrating(user)
  put('plans/mail/runbook.md', '### Phase 1: Tell (type: inline)\n\nTell.\n')
  for (const verb of ['next', 'compile']) {
    const { code, stderr } = await user.run(['runbook', verb])
    expect([code, stderr]).toEqual([
      64,
      `holdfast: There are several runbooks: "auth", "mail". Name one of them.\n  try: holdfast runbook ${verb} NAME\n`,
    ])
  }
  await user.run(['runbook', 'compile', 'mail'])
  const early = await user.run(['runbook', 'next', 'mail'])
  expect(early.stderr).toContain('The first step wants a clean tree')
  expect(early.stderr).toContain(`git -C ${user.project} add -- .claude/agents/mail-corrector.md`)
  await commit()
  expect((await user.run(['runbook', 'next', 'mail'])).stdout).toContain(
    'Replace CATEGORY with one of prerequisite, execution, unexpected, ambiguity, misalignment, and ____ with what stopped you.',
  )
})

test('what the orchestrator does itself ends where its text ends, not at a line of dashes in it', async () => {
  await using user = new User()
  const { put, commit, run } = await orchestrating(user)
  put('plans/tell/runbook.md', '# T\n\n### Phase 1: Tell (type: inline)\n\nTell.\n\n-----\n\nAll of it.\n')
  await run('compile', 'tell')
  await commit()
  const [, text] = (await run('next', 'tell')).stdout.split('\n------\n')
  expect(text).toContain('-----\n\nAll of it.')
})

test('a runbook survives a killed daemon, and another terminal goes on at the same place', async () => {
  await using user = new User()
  const { json } = await orchestrating(user)
  const hand = await json('next', 'auth')
  using remote = new Remote({ env: user.env, entry: ENTRY })
  const { pid } = await remote.call<DaemonStatus>('daemon.status')
  process.kill(pid, 'SIGKILL')
  expect(await json('next', 'auth')).toMatchObject({
    effort: hand.effort,
    step: 'step-1',
    attempt: 1,
    resumed: true,
  })
  await json('report', 'step-1', 'error', '--visit', '1', '--category', 'execution', '--reason', 'it broke')
  const again = await remote.call<DaemonStatus>('daemon.status')
  process.kill(again.pid, 'SIGKILL')
  // Nobody knows whether the first report arrived, so it comes twice.
  const late = await json(
    'report',
    'step-1',
    'error',
    '--visit',
    '1',
    '--category',
    'execution',
    '--reason',
    'it broke',
  )
  expect(late).toMatchObject({ moved: false })
  expect(await json('next', 'auth')).toMatchObject({ step: 'step-1', attempt: 2, model: 'sonnet' })
})

test('git says what is not committed, whatever is ignored, renamed or in a submodule', async () => {
  await using user = new User()
  const folder = user.project
  const changed = async () => (await workTreeOf(as(user.env), folder))?.changed
  const put = (path: string, text = '') => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  expect(await workTreeOf(as(user.env), folder)).toBeUndefined()
  await git(folder, 'init', '-q')
  put('.gitignore', 'node_modules/\n')
  put('node_modules/a.js')
  put('one.ts', 'one\n'.repeat(20))
  await git(folder, 'add', '-A')
  await git(folder, 'commit', '-q', '-m', 'first')
  expect(await changed()).toEqual([])
  await git(folder, 'mv', 'one.ts', 'a new\tname.ts')
  put('deep/er/ü.md', 'x')
  appendFileSync(join(folder, '.gitignore'), '*.log\n')
  put('x.log')
  expect((await changed())?.toSorted()).toEqual(['.gitignore', 'a new\tname.ts', 'deep/er/ü.md'].toSorted())
  // The settings of a user hide files, and those of a hook lead elsewhere.
  await git(folder, 'config', 'status.showUntrackedFiles', 'no')
  await git(folder, 'config', 'diff.ignoreSubmodules', 'all')
  const led = await workTreeOf(
    as({ ...user.env, GIT_DIR: '/nowhere', GIT_INDEX_FILE: '/nowhere/index' }),
    folder,
  )
  expect(led?.changed).toContain('deep/er/ü.md')
  const below = await workTreeOf(as({ ...user.env, GIT_CEILING_DIRECTORIES: folder }), join(folder, 'deep'))
  expect(below?.changed).toContain('deep/er/ü.md')
  writeFileSync(join(user.folder, 'all'), '*\n')
  const config = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.excludesFile',
    GIT_CONFIG_VALUE_0: join(user.folder, 'all'),
  }
  const hidden = await workTreeOf(as({ ...user.env, ...config }), folder)
  expect(hidden?.changed).toContain('deep/er/ü.md')
  await git(folder, 'add', '-A')
  await git(folder, 'commit', '-q', '-m', 'second')
  const inner = join(user.folder, 'inner')
  mkdirSync(inner)
  await git(inner, 'init', '-q')
  writeFileSync(join(inner, 'x.ts'), '')
  await git(inner, 'add', '-A')
  await git(inner, 'commit', '-q', '-m', 'inner')
  await git(folder, 'submodule', 'add', '-q', inner, 'vendor/inner')
  await git(folder, 'commit', '-q', '-m', 'third')
  expect(await changed()).toEqual([])
  writeFileSync(join(folder, 'vendor/inner/x.ts'), 'changed')
  expect(await changed()).toEqual(['vendor/inner'])
  rmSync(join(folder, 'vendor/inner/x.ts'))
  expect(existsSync(join(folder, 'vendor/inner/.git'))).toBe(true)
  expect(await changed()).toEqual(['vendor/inner'])
  const liar = join(user.folder, 'liar.sh')
  writeFileSync(liar, '#!/bin/sh\nprintf "token\\0"\n', { mode: 0o755 })
  await git(folder, 'config', 'core.fsmonitor', liar)
  await git(folder, 'config', 'core.untrackedCache', 'true')
  await git(folder, 'status')
  writeFileSync(join(folder, 'x.ts'), 'changed')
  expect(await changed()).toContain('x.ts')
})

test.each([
  ['', []],
  ['1 .M N... 100644 100644 100644 a b src/a b.ts\0? new\0', ['src/a b.ts', 'new']],
  ['2 R. N... 100644 100644 100644 a b R100 new name\0old name\0? x\0', ['new name', 'x']],
  ['u UU N... 1 2 3 4 a b c both.ts\0', ['both.ts']],
  ['! ignored\0# branch.oid x\0', []],
])('the list %j of git names %j', (listed, paths) => {
  expect(changedIn(listed)).toEqual(paths)
})
