import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { connectTo } from '../../src/cli/reach.ts'
import { findHome } from '../../src/daemon/home.ts'
import type { DaemonStatus } from '../../src/engine/context.ts'
import { hookCommand, pipeCommand } from '../../src/hook/commands.ts'
import { ENTRY, User } from '../holdfast.ts'

const CLIENT = 'claude-code'
/** Milliseconds of a hook that is not about time: on a busy machine its process alone may take more than usual. */
const PATIENT = 60_000
const HOOK_DAEMON = resolve('test/hook-daemon.ts')

/** A daemon that is our own child, once its HTTP has been opened or given up. */
async function running(
  user: User,
  entry = [HOOK_DAEMON],
): Promise<{ child: ChildProcess; http: DaemonStatus['http'] }> {
  const child = spawn(process.execPath, entry, { env: user.env, stdio: 'ignore' })
  for (;;) {
    await sleep(20)
    const connection = await connectTo(findHome(user.env))
    if (connection === undefined) continue
    const { http } = (await connection.call('daemon.status')) as DaemonStatus
    connection.close()
    if (http.listening || http.problem !== undefined) return { child, http }
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill(signal)
  await gone
}

interface Said {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

async function run(program: string, words: readonly string[], input: string, env: object): Promise<Said> {
  const child = spawn(program, words, { env: env as NodeJS.ProcessEnv, cwd: '/' })
  const [out, err]: [string[], string[]] = [[], []]
  child.stdout.setEncoding('utf8').on('data', (text: string) => void out.push(text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => void err.push(text))
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout: out.join(''), stderr: err.join('') }
}

const keyOf = (user: User) =>
  JSON.parse(readFileSync(findHome(user.env).hookKey, 'utf8')) as { port: number; token: string }

type Route = (user: User, input: string) => Promise<Said>

const http: Route = async (user, body) => {
  const { port, token } = keyOf(user)
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
  const answer = await fetch(`http://127.0.0.1:${port}/hook/${CLIENT}`, { method: 'POST', headers, body })
  return { code: answer.status === 200 ? 0 : answer.status, stdout: await answer.text(), stderr: '' }
}

const pipe =
  (shell: string, options: readonly string[] = [], before = ''): Route =>
  (user, input) =>
    run(shell, [...options, '-c', `${before}${pipeCommand({ client: CLIENT })}`], input, user.env)

/** As on a machine that has only these programs. */
const pipeWith =
  (...programs: readonly string[]): Route =>
  (user, input) => {
    const folder = join(user.folder, programs.join('-'))
    mkdirSync(folder, { recursive: true })
    for (const program of programs) {
      const path = join(folder, program)
      rmSync(path, { force: true })
      if (program === 'holdfast')
        writeFileSync(path, `#!/bin/sh\nexec ${process.execPath} ${ENTRY} "$@" --limit ${PATIENT}\n`, {
          mode: 0o755,
        })
      else symlinkSync(`/usr/bin/${program}`, path)
    }
    // Dash, because a shell that is bash needs nothing else.
    return run('/bin/dash', ['-c', pipeCommand({ client: CLIENT })], input, { ...user.env, PATH: folder })
  }

const program = { client: CLIENT, node: process.execPath, entry: ENTRY }

const command: Route = (user, input) =>
  run('sh', ['-c', hookCommand({ ...program, limit: PATIENT })], input, user.env)

const PIPES: Readonly<Record<string, Route>> = {
  'the pipe in sh': pipe('sh'),
  'the pipe in bash': pipe('bash'),
  'the pipe in bash that is called sh': pipe('bash', ['--posix']),
  'the pipe in an old bash': pipe('bash', [], 'read(){ case "$*" in *-N*)return 2;esac;builtin read "$@";};'),
  // Where the machine has what stands in for it.
  ...(existsSync('/usr/bin/curl') && { 'the pipe without bash': pipeWith('curl') }),
}

const ROUTES: Readonly<Record<string, Route>> = {
  http: http,
  ...PIPES,
  'the pipe without bash and curl': pipeWith('holdfast'),
  'the command': command,
}

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
      ['nothing where nothing is decided', '{}'],
      ['nothing where there was no payload', ''],
      ['nothing where it was no JSON', '{"decide":{'],
      ['nothing where the rules fail', '{"fail":"no"}'],
    ])('%s', async (__, input) => {
      expect(await route(user, input)).toMatchObject({ code: 0, stdout: '' })
    })

    test.each<[string, number]>([
      ['of the size where it is read in two parts', 8192],
      ['one byte shorter', 8191],
      ['one byte longer', 8193],
      ['with a whole file in it', 600_000],
    ])('a payload %s', async (__, size) => {
      const start = JSON.stringify({ decide: { b: 1 }, a: 'é' }).slice(0, -2)
      const input = `${start}${'x'.repeat(size - Buffer.byteLength(start) - 2)}"}`
      expect(Buffer.byteLength(input)).toBe(size)
      expect(JSON.parse((await route(user, input)).stdout)).toEqual({ client: CLIENT, b: 1 })
    })

    test('a payload that people can read', async () => {
      const input = `${JSON.stringify({ decide: deny }, null, 2)}\n\n`
      expect(JSON.parse((await route(user, input)).stdout)).toEqual({ client: CLIENT, ...deny })
    })
  })
})

// INV_HOOK_NEVER_BREAKS_THE_AGENT
describe('a daemon that cannot answer never stops a tool call', () => {
  const input = '{"decide":{"a":1}}'
  const nothing = { code: 0, stdout: '' }

  /** What each route says, all at the same time. */
  const saidBy = async (user: User, routes: Readonly<Record<string, Route>>) => {
    const said = Object.entries(routes).map(
      async ([name, route]) => [name, await route(user, input)] as const,
    )
    return Object.fromEntries(await Promise.all(said))
  }
  const silent = Object.fromEntries(Object.keys(PIPES).map((name) => [name, { ...nothing, stderr: '' }]))

  test('where nothing was ever started, pipes say nothing', async () => {
    await using user = new User()
    expect(await saidBy(user, PIPES)).toEqual(silent)
  })

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'after %s pipes say nothing, and the command starts it again and says so',
    async (signal) => {
      await using user = new User()
      const { child } = await running(user)
      await end(child, signal)
      expect(await saidBy(user, PIPES)).toEqual(silent)
      const started = 'holdfast: the daemon did not run, so it is started.\n'
      const said = await user.run(['hook', CLIENT, '--limit', `${PATIENT}`], { input: '{}' })
      expect(said).toEqual({ ...nothing, stderr: started })
      expect(await user.json(['daemon', 'status'])).toMatchObject({ running: true })
    },
  )

  test('whatever stands in the environment', async () => {
    const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{"a":1}'
    const names = ['b', 'e', 'k', 'n', 'p', 'r', 's', 't']
    await using user = new User(Object.fromEntries(names.map((name) => [name, answer])))
    writeFileSync(join(user.folder, 'start.sh'), 'echo started')
    const env = { ...user.env, BASH_ENV: join(user.folder, 'start.sh') }
    const line = pipeCommand({ client: CLIENT })
    expect(await run('sh', ['-c', line], input, env)).toEqual({ ...nothing, stderr: '' })
    const { child } = await running(user)
    expect((await run('sh', ['-c', line], input, env)).stdout).toBe(`{"client":"${CLIENT}","a":1}`)
    await end(child, 'SIGKILL')
    expect(await saidBy(user, PIPES)).toEqual(silent)
  })

  test('a decision that takes too long is waited for no longer', async () => {
    await using user = new User()
    const { child } = await running(user)
    const slow = '{"sleep":600000,"decide":{"a":1}}'
    const [first, second] = await Promise.all([http(user, slow), pipe('sh')(user, slow)])
    expect([first, second]).toEqual([
      { ...nothing, stderr: '' },
      { ...nothing, stderr: '' },
    ])
    // A fault is told after the client has its answer.
    await vi.waitFor(
      () =>
        expect(readFileSync(findHome(user.env).log, 'utf8')).toContain(
          'The hook was not decided within 5000 ms.',
        ),
      { timeout: 60_000 },
    )
    await end(child, 'SIGKILL')
  })

  test('while it hangs all of them give up in the end', async () => {
    await using user = new User()
    const { child } = await running(user)
    onTestFinished(() => void child.kill('SIGKILL'))
    child.kill('SIGSTOP')
    const stderr = 'holdfast: the hook was not decided within 2000 ms.\n'
    const usual: Route = (_, text) => run('sh', ['-c', hookCommand(program)], text, user.env)
    expect(await saidBy(user, { ...PIPES, command: usual })).toEqual({
      ...silent,
      command: { ...nothing, stderr },
    })
    await end(child, 'SIGKILL')
  })

  test('the command may be given another limit', async () => {
    await using user = new User()
    const { child } = await running(user)
    const said = await user.run(['hook', CLIENT, '--limit', '300'], {
      input: '{"sleep":60000,"decide":{"a":1}}',
    })
    await end(child, 'SIGKILL')
    expect(said).toEqual({ ...nothing, stderr: 'holdfast: the hook was not decided within 300 ms.\n' })
  })

  test.each<[string, string]>([
    ['no HTTP', 'hello\n'],
    ['an error', 'HTTP/1.1 500 Internal Server Error\r\nContent-Length: 7\r\n\r\n{"a":1}'],
    ['half of it', 'HTTP/1.1 200 OK\r\nContent-Length: 70\r\n\r\n{"a":{"b":1}'],
    ['no length', 'HTTP/1.1 200 OK\r\n\r\n'],
    ['nothing', ''],
  ])('a stranger at its place that answers %s', async (_, answer) => {
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
  ])('a key that says %j', async (text) => {
    await using user = new User()
    const { folder, hookKey } = findHome(user.env)
    mkdirSync(folder, { mode: 0o700 })
    writeFileSync(hookKey, text)
    expect(await saidBy(user, PIPES)).toEqual(silent)
  })

  test('a machine on which nothing is left of us', async () => {
    await using user = new User()
    const gone = hookCommand({ client: CLIENT, node: '/nowhere/node', entry: '/nowhere/holdfast.js' })
    expect(await run('sh', ['-c', gone], input, user.env)).toEqual({ ...nothing, stderr: '' })
    const { child } = await running(user)
    expect(await pipeWith('cat')(user, input)).toEqual({ ...nothing, stderr: '' })
    await end(child, 'SIGKILL')
  })

  test.each([
    ['a word too many', 'b'],
    ['an unknown flag', '--bogus'],
    ['no number', '--limit=soon'],
  ])('a command with %s', async (_, word) => {
    await using user = new User()
    expect(await user.run(['hook', CLIENT, word], { input })).toMatchObject(nothing)
  })
})

describe('the keys', () => {
  test('are only ours, in a folder that is only ours', async () => {
    await using user = new User()
    const { child } = await running(user)
    const { folder, hookKey, fullKey } = findHome(user.env)
    const modeOf = (path: string) => statSync(path).mode & 0o777
    expect([folder, hookKey, fullKey].map(modeOf)).toEqual([0o700, 0o600, 0o600])
    expect(readFileSync(hookKey, 'utf8')).not.toContain(
      (JSON.parse(readFileSync(fullKey, 'utf8')) as { token: string }).token,
    )
    await end(child, 'SIGTERM')
  })

  test('stay the same from start to start, and others are made when they are asked for', async () => {
    await using user = new User()
    const first = await running(user)
    const key = keyOf(user)
    await end(first.child, 'SIGKILL')
    const { child } = await running(user)
    expect(keyOf(user)).toEqual(key)
    const result = await user.run(['daemon', 'rotate-token'])
    const { port, token } = keyOf(user)
    expect(port).toBe(key.port)
    expect(token).not.toBe(key.token)
    expect(result.code).toBe(0)
    expect(result.stdout).not.toContain(token)
    const ask = async (bearer: string) =>
      (
        await fetch(`http://127.0.0.1:${port}/hook/${CLIENT}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${bearer}` },
          body: '{}',
        })
      ).status
    expect([await ask(key.token), await ask(token)]).toEqual([401, 200])
    await end(child, 'SIGTERM')
  })

  test('open everything with the one, as the socket does, and nothing but hooks with the other', async () => {
    await using user = new User()
    const { child } = await running(user)
    const { fullKey } = findHome(user.env)
    const full = JSON.parse(readFileSync(fullKey, 'utf8')) as { port: number; token: string }
    const ask = (token: string) =>
      fetch(`http://localhost:${full.port}/rpc`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
        body: '{"jsonrpc":"2.0","id":1,"method":"daemon.ping"}',
      })
    expect(await (await ask(full.token)).json()).toMatchObject({ result: { pong: true, pid: child.pid } })
    expect((await ask(keyOf(user).token)).status).toBe(401)
    await end(child, 'SIGTERM')
  })

  test.each<[string, (user: User) => void]>([
    ['damaged', (user) => writeFileSync(findHome(user.env).hookKey, '{"port":1')],
    ['without a token', (user) => writeFileSync(findHome(user.env).hookKey, '{"port":23456,"token":""}')],
    ['gone', (user) => rmSync(findHome(user.env).hookKey)],
  ])('are made anew where they are %s', async (_, harm) => {
    await using user = new User()
    const first = await running(user)
    const key = keyOf(user)
    await end(first.child, 'SIGTERM')
    harm(user)
    const { child } = await running(user)
    expect(keyOf(user).token).toMatch(/^[\w-]{43}$/)
    expect(keyOf(user).token).not.toBe(key.token)
    expect((await http(user, '{}')).code).toBe(0)
    await end(child, 'SIGTERM')
  })

  test('are not used where others could have read them, and the daemon says so', async () => {
    await using user = new User()
    const first = await running(user)
    await end(first.child, 'SIGTERM')
    const { hookKey } = findHome(user.env)
    chmodSync(hookKey, 0o644)
    const { child, http: status } = await running(user)
    expect(status).toEqual({ listening: false, problem: `${hookKey} is open to other users.` })
    expect((await command(user, '{"decide":{"a":1}}')).stdout).toContain('"a":1')
    await end(child, 'SIGTERM')
  })
})

describe('HTTP that cannot be had', () => {
  test('because a stranger has the port: the daemon serves its socket and says so', async () => {
    await using user = new User()
    const first = await running(user)
    const { port } = keyOf(user)
    await end(first.child, 'SIGTERM')
    const stranger = createServer().listen(port, '127.0.0.1')
    await once(stranger, 'listening')
    const { child, http: status } = await running(user)
    expect(status).toEqual({ listening: false, port, problem: `Port ${port} is used by another program.` })
    const doctor = await user.run(['doctor'])
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toContain(`Port ${port} is used by another program.`)
    expect((await command(user, '{"decide":{"a":1}}')).stdout).toContain('"a":1')
    expect(keyOf(user).port).toBe(port)
    await end(child, 'SIGTERM')
    stranger.close()
  })

  test('because its keys cannot be written: nobody is let in by keys that nobody knows', async () => {
    await using user = new User()
    const { folder, hookKey } = findHome(user.env)
    for (const path of [folder, hookKey]) mkdirSync(path, { mode: 0o700 })
    const { child, http: status } = await running(user)
    expect(status).toMatchObject({
      listening: false,
      problem: expect.stringContaining('hook.json') as string,
    })
    await expect(fetch(`http://127.0.0.1:${status.port}/rpc`)).rejects.toThrow('fetch failed')
    expect((await command(user, '{"decide":{"a":1}}')).stdout).toContain('"a":1')
    await end(child, 'SIGTERM')
  })

  test('not yet, so that new tokens are waited for where no daemon ran', async () => {
    await using user = new User()
    expect(await user.run(['daemon', 'rotate-token'])).toMatchObject({ code: 0, stderr: '' })
    expect(keyOf(user).port).toBeGreaterThan(0)
  })

  test('because nobody wants it', async () => {
    await using user = new User({ HOLDFAST_HTTP: 'off' })
    const { child, http: status } = await running(user)
    expect(status).toEqual({ listening: false, problem: 'HOLDFAST_HTTP is off.' })
    expect((await user.run(['daemon', 'rotate-token'])).code).toBe(69)
    expect((await user.run(['doctor'])).code).toBe(0)
    await end(child, 'SIGTERM')
  })
})

test('a daemon that knows no hooks yet lets all of them go on', async () => {
  await using user = new User()
  const { child } = await running(user, [ENTRY, 'daemon', 'run'])
  for (const route of Object.values(ROUTES))
    expect(await route(user, '{"decide":{"a":1}}')).toEqual({ code: 0, stdout: '', stderr: '' })
  await end(child, 'SIGTERM')
})
