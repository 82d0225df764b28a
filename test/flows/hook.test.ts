import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { STARTING } from '../../src/cli/commands/hook.ts'
import { noDecision } from '../../src/cli/daemon/hook-limit.ts'
import { findHome } from '../../src/daemon/home.ts'
import { hookCommand } from '../../src/hook/commands.ts'
import { ENTRY, User } from '../holdfast.ts'
import {
  CLIENT,
  end,
  http,
  PATIENT,
  PIPE,
  pipe,
  pipeWith,
  PIPES,
  pipesOf,
  programOf,
  type Route,
  ROUTES,
  run,
  running,
  withLimit,
} from '../hook-routes.ts'

describe('every route gives the same decisions', () => {
  let user: User
  let daemon: ChildProcess

  beforeAll(async () => {
    user = new User()
    daemon = (await running(user)).child
  })
  afterAll(async () => {
    await end(daemon, 'SIGTERM')
    await user[Symbol.asyncDispose]()
  })

  const deny = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } }
  const DECISIONS: Readonly<Record<string, object>> = {
    'a refusal': deny,
    'what could be taken for shell': {
      a: `'"$(id)\`id\`\\ %s %n \\n \${HOME} ; exit 3 &&`,
      '{}': '}\r\n\r\n{',
    },
    'letters of all lands': { a: 'ø 漢字 🪝 \u2028 \u0000 end' },
    'a long context': { a: 'line\n'.repeat(8000) },
  }

  describe.each(Object.entries(ROUTES))('%s', (_, route) => {
    test.each(Object.entries(DECISIONS))('%s', async (__, decide) => {
      const { code, stdout, stderr } = await route(user, JSON.stringify({ decide }))
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(JSON.parse(stdout)).toEqual({ client: CLIENT, ...decide })
    })

    test.each<[string, string]>([
      ['an empty answer without a decision', '{}'],
      ['an empty answer without a payload', ''],
      ['an empty answer to invalid JSON', '{"decide":{'],
      ['an empty answer if the rules fail', '{"fail":"no"}'],
    ])('%s', async (__, input) => {
      expect(await route(user, input)).toMatchObject({ code: 0, stdout: '' })
    })

    test.each<[string, number]>([
      ['of exactly the size that is read in two parts', 8192],
      ['one byte shorter', 8191],
      ['one byte longer', 8193],
      ['with a whole file in it', 600_000],
    ])('a payload %s', async (__, size) => {
      const start = JSON.stringify({ decide: { b: 1 }, a: 'é' }).slice(0, -2)
      const input = `${start}${'x'.repeat(size - Buffer.byteLength(start) - 2)}"}`
      expect(Buffer.byteLength(input)).toBe(size)
      expect(JSON.parse((await route(user, input)).stdout)).toEqual({ client: CLIENT, b: 1 })
    })

    test('an indented payload', async () => {
      const input = `${JSON.stringify({ decide: deny }, null, 2)}\n\n`
      expect(JSON.parse((await route(user, input)).stdout)).toEqual({ client: CLIENT, ...deny })
    })
  })
})

// INV_HOOK_NEVER_BREAKS_THE_AGENT
describe('a daemon that cannot answer never stops a tool call', () => {
  const input = '{"decide":{"a":1}}'
  const nothing = { code: 0, stdout: '' }

  /** The answers of all routes at the same time. */
  const saidBy = async (user: User, routes: Readonly<Record<string, Route>>) => {
    const said = Object.entries(routes).map(
      async ([name, route]) => [name, await route(user, input)] as const,
    )
    return Object.fromEntries(await Promise.all(said))
  }
  const silent = Object.fromEntries(Object.keys(PIPES).map((name) => [name, { ...nothing, stderr: '' }]))

  test('if nothing was ever started, pipes print nothing', async () => {
    await using user = new User()
    expect(await saidBy(user, PIPES)).toEqual(silent)
  })

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'after %s pipes print nothing, and the command restarts it and says so',
    async (signal) => {
      await using user = new User()
      const { child } = await running(user)
      await end(child, signal)
      expect(await saidBy(user, PIPES)).toEqual(silent)
      const said = await user.run(['hook', CLIENT, '--limit', `${PATIENT}`], { input: '{}' })
      expect(said).toEqual({ ...nothing, stderr: `${STARTING}\n` })
      expect(await user.json(['daemon', 'status'])).toMatchObject({ running: true })
    },
  )

  test('in any environment', async () => {
    const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{"a":1}'
    const names = ['a', 'b', 'e', 'k', 'n', 'p', 'r', 's', 't']
    await using user = new User(Object.fromEntries(names.map((name) => [name, answer])))
    writeFileSync(join(user.folder, 'start.sh'), 'echo started')
    const env = { ...user.env, BASH_ENV: join(user.folder, 'start.sh') }
    const line = withLimit(PIPE)
    expect(await run('sh', ['-c', line], input, env)).toEqual({ ...nothing, stderr: '' })
    const { child } = await running(user)
    expect((await run('sh', ['-c', line], input, env)).stdout).toBe(`{"client":"${CLIENT}","a":1}`)
    await end(child, 'SIGKILL')
    expect(await saidBy(user, PIPES)).toEqual(silent)
  })

  test('if a decision takes too long', async () => {
    await using user = new User()
    const { child } = await running(user)
    const slow = '{"sleep":600000,"decide":{"a":1}}'
    const [first, second] = await Promise.all([http(user, slow), pipe('sh')(user, slow)])
    expect([first, second]).toEqual([
      { ...nothing, stderr: '' },
      { ...nothing, stderr: '' },
    ])
    // A failure is reported after the client has its answer.
    await vi.waitFor(
      () =>
        expect(readFileSync(findHome(user.env).log, 'utf8')).toContain(
          'The engine did not decide within 800 ms.',
        ),
      { timeout: 60_000 },
    )
    await end(child, 'SIGKILL')
  })

  test('if it hangs, because all routes give up in the end', async () => {
    await using user = new User()
    const { child } = await running(user)
    onTestFinished(() => void child.kill('SIGKILL'))
    child.kill('SIGSTOP')
    const stderr = noDecision(2000)
    const usual: Route = (_, text) => run('sh', ['-c', hookCommand(programOf(user))], text, user.env)
    expect(await saidBy(user, { ...pipesOf(PIPE), command: usual })).toEqual({
      ...silent,
      command: { ...nothing, stderr },
    })
    await end(child, 'SIGKILL')
  })

  test('and the command accepts another limit', async () => {
    await using user = new User()
    const { child } = await running(user)
    const said = await user.run(['hook', CLIENT, '--limit', '300'], {
      input: '{"sleep":60000,"decide":{"a":1}}',
    })
    await end(child, 'SIGKILL')
    expect(said).toEqual({ ...nothing, stderr: noDecision(300) })
  })

  test.each<[string, string]>([
    ['no HTTP', 'hello\n'],
    ['an error', 'HTTP/1.1 500 Internal Server Error\r\nContent-Length: 7\r\n\r\n{"a":1}'],
    ['half of an answer', 'HTTP/1.1 200 OK\r\nContent-Length: 70\r\n\r\n{"a":{"b":1}'],
    ['no length', 'HTTP/1.1 200 OK\r\n\r\n'],
    ['nothing', ''],
  ])('if a stranger in its place answers %s', async (_, answer) => {
    await using user = new User()
    const stranger = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.end(answer))
    })
    stranger.listen(0, '127.0.0.1')
    await once(stranger, 'listening')
    onTestFinished(() => void stranger.close())
    const { folder, hookKey } = findHome(user.env)
    mkdirSync(folder, { mode: 0o700 })
    const { port } = stranger.address() as { port: number }
    writeFileSync(hookKey, `${JSON.stringify({ port, token: 'x'.repeat(43) })}\n`)
    expect(await saidBy(user, PIPES)).toEqual(silent)
  })

  test.each([
    '',
    '\n',
    '{}\n',
    '{"port":"x","token":7}\n',
    '$(touch /tmp/x)`id`;exit 3\n',
    '{"port":0,"token":""}\n',
  ])('if the key is %j', async (text) => {
    await using user = new User()
    const { folder, hookKey } = findHome(user.env)
    mkdirSync(folder, { mode: 0o700 })
    writeFileSync(hookKey, text)
    expect(await saidBy(user, PIPES)).toEqual(silent)
  })

  test('if nothing of Holdfast is installed any more', async () => {
    await using user = new User()
    const gone = hookCommand({ client: CLIENT, launcher: '/nowhere/bin/holdfast' })
    expect(await run('sh', ['-c', gone], input, user.env)).toEqual({ ...nothing, stderr: '' })
    const { child } = await running(user)
    expect(await pipeWith('cat')(user, input)).toEqual({ ...nothing, stderr: '' })
    await end(child, 'SIGKILL')
  })

  test.each([
    ['an extra argument', 'b'],
    ['an unknown flag', '--bogus'],
    ['an invalid number', '--limit=soon'],
  ])('if the command has %s', async (_, word) => {
    await using user = new User()
    expect(await user.run(['hook', CLIENT, word], { input })).toMatchObject(nothing)
  })
})

test('a daemon without hook support allows every hook', async () => {
  await using user = new User()
  const { child } = await running(user, [ENTRY, 'daemon', 'run'])
  for (const route of Object.values(ROUTES))
    expect(await route(user, '{"decide":{"a":1}}')).toEqual({ code: 0, stdout: '', stderr: '' })
  await end(child, 'SIGTERM')
})
