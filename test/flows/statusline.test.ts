import { readFileSync, writeFileSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import fixtures from '../../src/clients/claude-code/fixtures/StatusLine.json' with { type: 'json' }
import { User } from '../holdfast.ts'
import { HookedClient } from '../hooked-client.ts'

const BIN = resolve('bin/holdfast.js')

async function untilSaid<T extends { readonly stdout: string }>(say: () => T | Promise<T>): Promise<T> {
  for (;;) {
    const said = await say()
    if (said.stdout.includes('[deploy')) return said
  }
}

/** A user whose client is at the second step of a skill. */
class Drawing extends User {
  readonly client = new HookedClient(this)
  readonly settings = join(this.clientConfig, 'settings.json')

  /** Settings with the user's own status line. */
  own(command: string, more: object = {}): string {
    const text = `${JSON.stringify({ model: 'opus', statusLine: { type: 'command', command, ...more } }, null, 4)}\n`
    mkdirSync(this.clientConfig, { recursive: true })
    writeFileSync(this.settings, text, { mode: 0o600 })
    return text
  }

  get command(): string {
    const { statusLine } = JSON.parse(readFileSync(this.settings, 'utf8')) as {
      statusLine: { command: string }
    }
    return statusLine.command
  }

  async begin(): Promise<void> {
    await this.json(['skill', 'new', 'deploy', '--notation', 'steps'])
    await this.client.fire('SessionStart', { source: 'startup' })
    await this.client.fire('UserPromptSubmit', { prompt: '/deploy it' })
    const step = join(this.project, '.claude/skills/deploy/steps/understand.md')
    await this.client.use('Read', { file_path: step })
  }

  /** The captured input of a status line, with our session. */
  payload(percent: number | null): object {
    const captured = fixtures[1]
    return {
      ...captured,
      session_id: 'one',
      cwd: this.project,
      context_window: { ...captured?.context_window, used_percentage: percent },
    }
  }

  draw(percent: number | null = 62) {
    return this.client.shell(this.command, this.payload(percent))
  }

  /** Draws until it has our line, like a client, because a busy machine may miss one drawing. */
  drawn(percent?: number | null) {
    return untilSaid(() => this.draw(percent))
  }

  async usage(): Promise<number | null | undefined> {
    const [session] = await this.json<{ context_usage: number | null }[]>(['session', 'find', '--open'])
    return session?.context_usage
  }
}

describe('the status line from init', () => {
  test('shows the position of the session, and reports the context usage to the daemon', async () => {
    await using user = new Drawing()
    await user.wire()
    await user.begin()
    expect(await user.drawn(null)).toEqual({ code: 0, stdout: '[deploy:understand]\n', stderr: '' })
    expect(await user.drawn()).toEqual({ code: 0, stdout: '[deploy:understand] 62%\n', stderr: '' })
    expect(await user.usage()).toBe(0.62)
    await user.run(['daemon', 'stop'])
    expect(await user.draw()).toEqual({ code: 0, stdout: '', stderr: '' })
    // It starts nothing: that is up to hooks.
    expect(await user.json(['daemon', 'status'])).toMatchObject({ running: false })
    expect(await user.usage()).toBe(0.62)
  })

  test("is below the user's line, which stays and is restored with every byte", async () => {
    await using user = new Drawing()
    const before = user.own(`cat | grep -o '"display_name":"[^"]*"'; printf 'two  '`, { padding: 2 })
    await user.wire()
    await user.begin()
    const theirs = '"display_name":"Opus 5.5"\ntwo  \n'
    expect(await user.drawn()).toEqual({ code: 0, stdout: `${theirs}[deploy:understand] 62%\n`, stderr: '' })
    await user.wire()
    expect((await user.drawn()).stdout).toBe(`${theirs}[deploy:understand] 62%\n`)
    await user.run(['daemon', 'stop'])
    expect((await user.draw()).stdout).toBe(theirs)
    await user.json(['uninstall'])
    expect(readFileSync(user.settings, 'utf8')).toBe(before)
  })

  test('is omitted from a drawing while the daemon hangs, and returns afterwards', async () => {
    await using user = new Drawing()
    user.own('echo mine')
    await user.wire()
    await user.begin()
    const { pid } = await user.json<{ pid: number }>(['daemon', 'status'])
    process.kill(pid, 'SIGSTOP')
    try {
      expect(await user.draw()).toEqual({ code: 0, stdout: 'mine\n', stderr: '' })
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    expect((await user.drawn()).stdout).toBe('mine\n[deploy:understand] 62%\n')
  })

  test('is omitted on request, until the user asks for it again', async () => {
    await using user = new Drawing()
    const before = user.own('echo mine')
    await user.wire(['--no-status-line'])
    expect(user.command).toBe('echo mine')
    await user.wire()
    expect(user.command).toBe('echo mine')
    await user.wire(['--status-line'])
    expect(user.command).toContain(`holdfast_line='echo mine';`)
    await user.wire(['--no-status-line'])
    expect(user.command).toBe('echo mine')
    await user.json(['uninstall'])
    expect(readFileSync(user.settings, 'utf8')).toBe(before)
  })

  test("is never written to a shared file, or where it would hide the user's line", async () => {
    await using user = new Drawing()
    user.own('echo mine')
    const written = async (scope: string, ...flags: readonly string[]) => {
      const { path, warnings } = await user.wire<{ path: string; warnings: readonly string[] }>([
        '--scope',
        scope,
        ...flags,
      ])
      return { hasLine: readFileSync(path, 'utf8').includes('"statusLine"'), warnings }
    }
    expect((await written('project')).hasLine).toBe(false)
    await user.json(['uninstall'])
    expect((await written('local')).hasLine).toBe(false)
    expect(await written('local', '--status-line')).toMatchObject({
      hasLine: true,
      warnings: [expect.stringContaining('hides the one in')],
    })
  })
})

describe('doctor', () => {
  const found = async (user: User) => {
    const { stdout } = await user.run(['doctor', '--json'])
    const { findings } = JSON.parse(stdout) as {
      findings: { check: string; ok: boolean; detail: string; fix?: string }[]
    }
    return findings.filter(({ check }) => check === 'statusline')
  }

  test('tests the status line as the client runs it, and reports another one that hides it', async () => {
    await using user = new Drawing()
    expect(await found(user)).toMatchObject([
      { ok: true, detail: expect.stringContaining('Not installed here') },
    ])
    user.own('cat >/dev/null')
    await user.wire()
    let drawn = await found(user)
    while (drawn[0]?.ok !== true) drawn = await found(user)
    expect(drawn).toMatchObject([{ ok: true, detail: expect.stringContaining('Installed in scope user') }])
    const wired = readFileSync(user.settings, 'utf8')
    writeFileSync(
      user.settings,
      wired.replaceAll(`${user.env['HOLDFAST_HOME']}/hook.json`, '/nowhere/hook.json'),
    )
    const fix = 'holdfast init --scope user --status-line --yes'
    expect(await found(user)).toMatchObject([{ code: 'statusline-silent', ok: false, fix }])
    await user.json(fix.split(' ').slice(1))
    expect(readFileSync(user.settings, 'utf8')).toBe(wired)
    mkdirSync(join(user.project, '.claude'))
    writeFileSync(
      join(user.project, '.claude', 'settings.json'),
      '{"statusLine": {"type": "command", "command": "echo team"}}',
    )
    expect(await found(user)).toMatchObject([
      { ok: true, detail: expect.stringContaining('hides the one of') },
    ])
  })
})

describe('holdfast statusline', () => {
  test("prints the same for a user's own status line, with or without flags, and nothing without a daemon", async () => {
    await using user = new Drawing()
    await user.wire(['--no-status-line'])
    await user.begin()
    const input = JSON.stringify(user.payload(62))
    const direct = () =>
      spawnSync(process.execPath, [BIN, 'statusline'], { input, env: user.env, encoding: 'utf8' })
    const flagged = () => user.run(['statusline', '--no-color'], { input })
    const line = { stdout: '[deploy:understand] 62%\n', stderr: '' }
    expect(await untilSaid(direct)).toMatchObject({ status: 0, ...line })
    expect(await untilSaid(flagged)).toEqual({ code: 0, ...line })
    expect(await user.run(['statusline'])).toEqual({ code: 0, stdout: '', stderr: '' })
    await user.run(['daemon', 'stop'])
    expect(direct()).toMatchObject({ status: 0, stdout: '', stderr: '' })
    expect(await user.run(['statusline', '--wrong'], { input })).toMatchObject({ code: 0, stdout: '' })
  })
})
