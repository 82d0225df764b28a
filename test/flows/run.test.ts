import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { User } from '../holdfast.ts'

vi.setConfig({ testTimeout: 120_000 })

interface Shown {
  readonly name: string
  readonly path: string
  readonly state: string
}

/** A user in a repository whose agent has a skill with run folders. */
function researching() {
  const user = new User()
  onTestFinished(() => user[Symbol.asyncDispose]())
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: user.project, env: user.env, encoding: 'utf8' })
  git('init', '--quiet')
  const folder = join(user.project, '.claude/skills/research')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'SKILL.md'),
    '---\nname: research\ndescription: Looks into it.\nuses_skill_run: true\n---\n\nDo it.\n',
  )
  const ask = async (prompt: string) => {
    const input = JSON.stringify({
      session_id: 'one',
      cwd: user.project,
      hook_event_name: 'UserPromptSubmit',
      prompt,
    })
    return (await user.run(['hook', 'claude-code', '--limit', '60000'], { input })).stdout
  }
  const list = () => user.json<readonly Shown[]>(['run', 'list'])
  return { user, git, ask, list }
}

test('a run is created by a call, filled by the agent, listed and published, and git ignores it', async () => {
  const { user, git, ask, list } = researching()
  const before = git('status', '--porcelain')
  const told = await ask('/research why it is slow')
  const [run] = await list()
  expect(run).toMatchObject({ state: 'in-progress' })
  expect(told).toContain(run?.path)
  expect(git('status', '--porcelain')).toBe(before)

  const { name = '', path = '' } = run ?? {}
  expect((await user.run(['run', 'publish', name])).code).toBe(1)
  expect((await user.run(['run', 'log', 'Measured it'])).stdout.trim()).toBe(join(path, 'run.log'))
  expect(readFileSync(join(path, 'run.log'), 'utf8')).toContain('[note] Measured it')
  writeFileSync(join(path, 'synthesis.md'), '# Because\n')
  expect((await user.run(['run', 'list'])).stdout).toMatch(/✓ complete/)

  const report = join(user.project, 'reports', `${name}.md`)
  expect((await user.run(['run', 'publish', name])).stdout.trim()).toBe(report)
  writeFileSync(report, 'Edited.')
  const refused = await user.run(['run', 'publish', name])
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain('--force')
  expect(readFileSync(report, 'utf8')).toBe('Edited.')
  expect((await user.run(['run', 'publish', name, '--force'])).code).toBe(0)
  expect(readFileSync(report, 'utf8')).toBe('# Because\n')
  expect(await user.json(['run', 'show', name])).toMatchObject({ name, state: 'complete', report })
})

test('killing the daemon in between creates no second folder', async () => {
  const { user, ask, list } = researching()
  await ask('/research why')
  const { pid } = await user.json<{ pid: number }>(['daemon', 'status'])
  process.kill(pid, 'SIGKILL')
  await ask('/research why')
  const runs = await list()
  expect(runs).toHaveLength(1)
  expect(readdirSync(join(user.project, '.holdfast/runs'))).toEqual([runs[0]?.name])
})
