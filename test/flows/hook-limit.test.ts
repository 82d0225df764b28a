import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { settings } from '../../src/clients/claude-code/install.ts'
import { noDecision } from '../../src/cli/daemon/hook-limit.ts'
import { reach } from '../../src/cli/daemon/reach.ts'
import { findHome } from '../../src/daemon/home.ts'
import { ENTRY, SOURCE, User } from '../holdfast.ts'
import { end, OLD_BASH, run, running } from '../hook-routes.ts'
import { untilFree } from '../torture/free.ts'

/** A fake daemon, which ends before its user. */
async function stranger(user: User, onPeer: (socket: Socket) => void): Promise<Disposable> {
  const { folder, socket } = findHome(user.env)
  mkdirSync(folder, { mode: 0o700 })
  const peers = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (peer) => {
    peers.add(peer.on('error', () => undefined))
    onPeer(peer)
  }).listen(socket)
  await once(server, 'listening')
  chmodSync(socket, 0o600)
  return {
    [Symbol.dispose]() {
      for (const peer of peers) peer.destroy()
      server.close()
    },
  }
}

test('the time to load the code counts: a call that is too late asks no daemon', async () => {
  await using user = new User()
  let asked = 0
  using _ = await stranger(user, () => void asked++)
  const slow = join(user.folder, 'slow.mjs')
  writeFileSync(
    slow,
    `import { registerHooks } from 'node:module'
    registerHooks({
      load(url, context, next) {
        if (url.endsWith('/cli/daemon/remote.ts')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
        return next(url, context)
      },
    })`,
  )
  const said = await user.run(['hook', 'claude-code', '--limit', '1000'], {
    entry: SOURCE,
    input: '{}',
    env: { NODE_OPTIONS: `--import ${pathToFileURL(slow).href}` },
  })
  expect(said).toEqual({ code: 0, stdout: '', stderr: noDecision(1000) })
  expect(asked).toBe(0)
})

test('a daemon that answers and keeps the connection open does not delay the hook', async () => {
  await using user = new User()
  using _ = await stranger(user, (peer) =>
    peer.once('data', () => peer.write('{"jsonrpc":"2.0","id":1,"result":{"reply":{"a":1}}}\n')),
  )
  expect(await user.run(['hook', 'claude-code', '--limit=1500'], { input: '{}' })).toMatchObject({ code: 0 })
})

test('a client that does not close its end does not delay the hook', async () => {
  await using user = new User()
  const child = spawn(process.execPath, [ENTRY, 'hook', 'claude-code', '--limit', '500'], { env: user.env })
  const said: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => void said.push(text))
  child.stdin.on('error', () => undefined).write('{"half":')
  expect(await once(child, 'close')).toEqual([0, null])
  expect(said.join('')).toBe(noDecision(500))
})

/** A program whose daemon decides at once, but delays its own report until the answer was read. */
const DECIDES_FIRST = (user: User) => `
  import { createServer } from 'node:net'
  import { chmodSync, existsSync } from 'node:fs'
  import { setTimeout as sleep } from 'node:timers/promises'
  if (process.argv[2] !== 'daemon') await import('${pathToFileURL(ENTRY).href}')
  else {
    process.umask(0o077)
    const server = createServer((peer) => peer.on('error', () => undefined).on('data', async (text) => {
      const { id, method } = JSON.parse(text)
      const say = (result) => peer.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
      if (method === 'hooks.handle') return say({ reply: { a: 1 } })
      if (method === 'daemon.ping') return say({ pid: process.pid })
      while (!existsSync('${user.folder}/heard')) await sleep(10)
      say({ http: { listening: true } })
      server.close()
    })).listen('${findHome(user.env).socket}')
  }`

test('the answer comes before the preparations for the next hooks', async () => {
  await using user = new User()
  const entry = join(user.folder, 'entry.mjs')
  writeFileSync(entry, DECIDES_FIRST(user))
  const child = spawn(process.execPath, [entry, 'hook', 'claude-code', '--limit', '60000'], { env: user.env })
  child.stdin.end('{}')
  child.stderr.resume()
  const [answer] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  writeFileSync(join(user.folder, 'heard'), '')
  expect(answer).toBe('{"a":1}\n')
  expect(await once(child, 'close')).toEqual([0, null])
})

test('of many hooks without a daemon, one starts it, and again after a kill', async () => {
  await using user = new User()
  const home = findHome(user.env)
  const entry = join(user.folder, 'entry.mjs')
  const started = join(user.folder, 'started')
  writeFileSync(
    entry,
    `import { appendFileSync } from 'node:fs'
    appendFileSync('${started}', process.pid + '\\n')
    await import('${pathToFileURL(ENTRY).href}')`,
  )
  for (const round of [1, 2]) {
    const all = Array.from({ length: 12 }, () => reach({ home, entry, env: user.env }))
    const connections = await Promise.all(all)
    const pids = readFileSync(started, 'utf8').trim().split('\n').map(Number)
    expect(pids).toHaveLength(round)
    const pings = await Promise.all(connections.map((connection) => connection.call('daemon.ping')))
    for (const ping of pings) expect(ping).toMatchObject({ pid: pids.at(-1) })
    process.kill(pids.at(-1) ?? 0, 'SIGKILL')
    await untilFree(home)
  }
})

/** Every line of shell that `init` and `init --strict` write for hooks, by its beginning and its file. */
function linesOf({ env, holdfast: launcher }: User): ReadonlyMap<string, string> {
  const wiring = { home: findHome(env).folder, launcher, allowsHoldfast: false, statusLine: false }
  const files = {
    user: settings.wire(undefined, { ...wiring, scope: 'user', failsClosed: false }),
    strict: settings.wire(undefined, { ...wiring, scope: 'user', failsClosed: true }),
    project: settings.wire(undefined, { ...wiring, scope: 'project', failsClosed: false }),
  }
  return new Map(
    Object.entries(files).flatMap(([file, text]) => {
      const { hooks } = JSON.parse(text) as { hooks: Record<string, { hooks: { command: string }[] }[]> }
      const groups = Object.values(hooks).flat()
      const commands = groups.flatMap((group) => group.hooks.map(({ command }) => command))
      return commands.map((command) => [`${file}: ${command.slice(0, 20)}`, command] as const)
    }),
  )
}

test('a daemon that hangs costs every form of hook less than the five seconds of older versions', async () => {
  await using user = new User()
  const { child } = await running(user)
  const lines = linesOf(user)
  expect(lines.size).toBe(7)
  child.kill('SIGSTOP')
  const took = async (name: string, line: string) => {
    const begun = performance.now()
    await run('bash', ['-c', line], '{"tool_name":"Read"}', user.env)
    return [name, performance.now() - begun] as const
  }
  const all = [...lines].flatMap(([name, line]) => [
    took(name, line),
    took(`${name} in an old bash`, `${OLD_BASH}${line}`),
  ])
  const slow = (await Promise.all(all)).filter(([, milliseconds]) => milliseconds > 4000)
  child.kill('SIGCONT')
  await end(child, 'SIGTERM')
  expect(slow).toEqual([])
})
