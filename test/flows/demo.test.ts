import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { emptiesOf } from '../answer-faults.ts'
import { expectStory } from '../demo-story.ts'
import { ENTRY, User } from '../holdfast.ts'
import { processesOf } from '../processes-of.ts'

/** A user with temporary files in a visible folder. */
const newUser = () => {
  const user = new User()
  return { user, env: { TMPDIR: user.folder }, [Symbol.asyncDispose]: () => user[Symbol.asyncDispose]() }
}

describe('the demo', () => {
  test('prints its story, and leaves nothing behind', async () => {
    await using one = newUser()
    const { user, env } = one
    const { code, stdout, stderr } = await user.run(['demo'], { env })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const told = stdout.replaceAll(/\s+/g, ' ')
    expect(told).toMatch(
      /1\. .* 2\. .* refused Holdfast: step "check" needs "change", .* 5\. .* kill -9 .* 7\. .* Done\./,
    )
    expect(told).toContain('ship, completed: understand → work → check')
    expect(readdirSync(user.folder)).toEqual(['project'])
    expect(readdirSync(user.project)).toEqual([])
  })

  test('makes the recorded decisions, through hooks, a compaction and kill -9', async () => {
    await using one = newUser()
    const { stdout, code } = await one.user.run(['demo', '--json'], { env: one.env })
    expect(code).toBe(0)
    expectStory(JSON.parse(stdout))
    expect(emptiesOf(JSON.parse(stdout), 'demo')).toEqual([])
  })

  test('is in the README as it is', async () => {
    await using one = newUser()
    const lines = (text: string) => text.replaceAll(/kill -9 \d+/g, 'kill -9 PID').split('\n')
    const shown = /```\n(1\. You call.*?)```/s.exec(readFileSync('README.md', 'utf8'))?.[1]?.trim() ?? ''
    const whole = lines(shown).filter((line) => !line.includes('…'))
    expect(whole.length).toBeGreaterThan(10)
    const { stdout } = await one.user.run(['demo'], { env: one.env })
    expect(lines(stdout)).toEqual(expect.arrayContaining(whole))
  })

  test('prints the next command, and that command works', async () => {
    await using one = newUser()
    const { user, env } = one
    const told = (await user.run(['demo', '--fast'], { env })).stdout.split('own work:\n')[1] ?? ''
    const commands = told.split('\n').flatMap((line) => /^ +holdfast (.*?) {2}/.exec(line)?.[1] ?? [])
    expect(commands).toEqual(expect.arrayContaining(['skill check', '--help']))
    for (const command of commands)
      expect((await user.run(['help', ...command.split(' ').filter((word) => word !== '--help')])).code).toBe(
        0,
      )
  })

  test('ignores the settings of the user', async () => {
    await using one = newUser()
    const { user, env } = one
    const own = {
      HOLDFAST_HTTP: 'off',
      HOLDFAST_STALE_SECONDS: 'soon',
      HOLDFAST_DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x',
      XDG_STATE_HOME: '/proc/nowhere',
    }
    expect(await user.run(['demo'], { env: { ...env, ...own } })).toMatchObject({ code: 0, stderr: '' })
  })

  test('that differs from its recording fails, and leaves nothing', async () => {
    await using one = newUser()
    const { user, env } = one
    // A repository around its project becomes the project, with other skills.
    mkdirSync(join(user.folder, '.git'))
    const { code, stderr } = await user.run(['demo'], { env })
    expect(code).not.toBe(0)
    expect(stderr).toContain('PreToolUse was answered with allow, not block')
    expect(readdirSync(user.folder).toSorted()).toEqual(['.git', 'project'])
    while (processesOf(user.folder).length > 0) await sleep(10)
  })

  test.each([
    ['SIGINT', 'while the daemon starts', /\(SessionStart/],
    ['SIGINT', 'in the middle', /step\.refused/],
    ['SIGTERM', 'while the daemon is dead', /kill -9/],
    ['SIGHUP', 'in the middle', /compacts/],
  ] as const)('that is ended by %s %s leaves neither a folder nor a process', async (signal, _, moment) => {
    await using one = newUser()
    const { user, env } = one
    const child = spawn(process.execPath, [ENTRY, 'demo'], {
      cwd: user.project,
      env: { ...user.env, ...env },
    })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => void (said += text))
    while (!moment.test(said)) await once(child.stdout, 'data')
    child.kill(signal)
    await once(child, 'close')
    expect(readdirSync(user.folder)).toEqual(['project'])
    while (processesOf(user.folder).length > 0) await sleep(10)
  })

  test('whose output is closed ends, and leaves nothing', async () => {
    await using one = newUser()
    const { user, env } = one
    const child = spawn(process.execPath, [ENTRY, 'demo'], {
      cwd: user.project,
      env: { ...user.env, ...env },
    })
    await once(child.stdout, 'data')
    child.stdout.destroy()
    await once(child, 'close')
    expect(readdirSync(user.folder)).toEqual(['project'])
    while (processesOf(user.folder).length > 0) await sleep(10)
  })
})
