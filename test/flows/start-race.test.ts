import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { connectTo } from '../../src/cli/daemon/connect.ts'
import { reach } from '../../src/cli/daemon/reach.ts'
import { stopDaemon } from '../../src/cli/daemon/stop.ts'
import { findHome } from '../../src/daemon/home.ts'
import type { DaemonStatus } from '../../src/engine/call/context.ts'
import { running } from '../child-daemon.ts'
import { ENTRY, User } from '../holdfast.ts'
import { untilFree } from '../torture/free.ts'
import { raceRun } from '../torture/race.ts'

const start = (user: User) => user.json<DaemonStatus>(['daemon', 'start'])
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)

async function killAndWait(user: User, pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL')
  await untilFree(findHome(user.env))
}

// INV_DAEMON_IS_THE_LOCK
test('one daemon serves twenty concurrent callers, and again after a kill', async () => {
  const report = await raceRun({ rounds: 2, callers: 20, log: () => undefined })
  expect(report.violations).toEqual([])
  expect(report.served).toBe(40)
})

test('no caller fails during concurrent calls and stops', async () => {
  await using user = new User()
  await start(user)
  const words = Array.from({ length: 12 }, (_, index) =>
    index % 3 === 0 ? ['daemon', 'stop', '--json'] : ['rpc', 'daemon.ping'],
  )
  for (let round = 0; round < 2; round++) {
    const ends = await Promise.all(words.map((one) => user.process(one)))
    expect(ends.filter(({ code }) => code !== 0)).toEqual([])
  }
})

test('a second daemon reports the first, and exits', async () => {
  await using user = new User()
  const { pid } = await start(user)
  const second = await user.run(['daemon', 'run'])
  expect(second).toEqual({
    code: 0,
    stdout: '',
    stderr: `A daemon already serves ${user.env['HOLDFAST_HOME']}.\n`,
  })
  expect((await start(user)).pid).toBe(pid)
})

test('a second daemon does not start beside one whose lock was removed, and that one stops', async () => {
  await using user = new User()
  const { ended, home, connection } = await running(user)
  rmSync(home.lock)
  expect(await user.run(['daemon', 'run'])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('already'),
  })
  await expect(connection.call('db.project.upsert', { path: user.project })).rejects.toThrow(/lock\.db was/)
  expect(await ended).toEqual([0, null])
  expect(await user.json(['project', 'upsert', '.'])).toMatchObject({ id: 1 })
})

test('a caller whose daemon is killed while it starts gets another one', async () => {
  await using user = new User()
  const entry = join(user.folder, 'entry.mjs')
  const died = join(user.folder, 'died')
  writeFileSync(
    entry,
    `import { existsSync, writeFileSync } from 'node:fs'
    if (!existsSync('${died}')) {
      writeFileSync('${died}', '')
      process.kill(process.pid, 'SIGKILL')
    }
    await import('${pathToFileURL(ENTRY).href}')`,
  )
  const connection = await reach({ home: findHome(user.env), entry, env: user.env })
  expect(existsSync(died)).toBe(true)
  expect(await connection.call('daemon.ping')).toMatchObject({ pong: true })
  connection.close()
})

describe('the remains of a dead daemon', () => {
  test('its socket is replaced, its lock is free, and its unfinished socket is removed', async () => {
    await using user = new User()
    const first = await start(user)
    await killAndWait(user, first.pid)
    expect(lstatSync(first.socket).isSocket()).toBe(true)
    const half = first.socket.replace(/sock$/, '4194303')
    renameSync(first.socket, half)
    const second = await start(user)
    expect(second.pid).not.toBe(first.pid)
    expect(existsSync(half)).toBe(false)
    await killAndWait(user, second.pid)
    const before = lstatSync(first.socket)
    expect((await start(user)).pid).not.toBe(second.pid)
    expect(lstatSync(first.socket).ctimeMs).toBeGreaterThan(before.ctimeMs)
  })

  test('a file in place of the socket is replaced', async () => {
    await using user = new User()
    const { home, socket } = { home: user.env['HOLDFAST_HOME'] ?? '', socket: findHome(user.env).socket }
    mkdirSync(home, { mode: 0o700 })
    writeFileSync(socket, '', { mode: 0o600 })
    await start(user)
    expect(lstatSync(socket).isSocket()).toBe(true)
  })

  test('daemon.json is not trusted, whether its process lives or not', async () => {
    await using user = new User()
    const home = findHome(user.env)
    mkdirSync(home.folder, { mode: 0o700 })
    for (const pid of [process.pid, 4_194_303]) {
      writeFileSync(
        home.about,
        JSON.stringify({ pid, version: '9.9.9', started_at: new Date().toISOString() }),
      )
      expect(await user.json(['daemon', 'status'])).toMatchObject({ running: false })
      expect((await start(user)).pid).not.toBe(pid)
      expect(await stopDaemon(home)).toBeGreaterThan(0)
    }
  })
})

describe('the path of the socket', () => {
  test('of a too deep home is in a private folder, the same for every caller', async () => {
    await using user = new User()
    const deep = (name: string) => join(user.folder, 'deep/'.repeat(30), name)
    const homes = ['a', 'b'].map((name) => ({ ...user.env, HOLDFAST_HOME: deep(name) }))
    const sockets: string[] = []
    for (const one of homes) {
      const { stdout, code } = await user.run(['daemon', 'start', '--json'], { env: one })
      expect(code).toBe(0)
      const { socket, pid } = JSON.parse(stdout) as DaemonStatus
      expect([mode(socket), mode(dirname(socket))]).toEqual(['600', '700'])
      const elsewhere = { ...one, TMPDIR: user.folder, XDG_RUNTIME_DIR: user.folder }
      const again = await user.run(['daemon', 'start', '--json'], { env: elsewhere })
      expect(JSON.parse(again.stdout)).toMatchObject({ pid, socket })
      sockets.push(socket)
    }
    expect(new Set(sockets).size).toBe(2)
    for (const one of homes) expect((await user.run(['daemon', 'stop'], { env: one })).code).toBe(0)
    expect(sockets.filter((socket) => existsSync(socket))).toEqual([])
  })

  test('of a home with the longest possible name is inside', async () => {
    await using user = new User()
    const folder = join(user.folder, 'h'.repeat(100 - '/engine.sock'.length - user.folder.length - 1))
    const env = { HOLDFAST_HOME: folder }
    const { stdout } = await user.run(['daemon', 'start', '--json'], { env })
    const { socket } = JSON.parse(stdout) as DaemonStatus
    expect(socket).toHaveLength(100)
    expect(dirname(socket)).toBe(folder)
    expect((await user.run(['daemon', 'stop'], { env })).code).toBe(0)
  })
})

describe('access', () => {
  test('everything is private, whatever the umask', async () => {
    await using user = new User()
    const child = spawn(
      '/bin/sh',
      ['-c', 'umask 000; exec "$0" "$@"', process.execPath, ENTRY, 'daemon', 'start'],
      {
        env: user.env,
        stdio: 'ignore',
      },
    )
    expect(await once(child, 'exit')).toEqual([0, null])
    await user.json(['project', 'upsert', '.'])
    const home = user.env['HOLDFAST_HOME'] ?? ''
    const modes = Object.fromEntries(readdirSync(home).map((name) => [name, mode(join(home, name))]))
    expect(mode(home)).toBe('700')
    expect(Object.keys(modes)).toEqual(
      expect.arrayContaining([
        'daemon.json',
        'daemon.log',
        'engine.db',
        'engine.db-wal',
        'engine.sock',
        'lock.db',
      ]),
    )
    const { bin, ...files } = modes
    expect([bin, mode(join(home, 'bin/holdfast'))]).toEqual(['700', '700'])
    expect(Object.values(files)).toEqual(Object.values(files).map(() => '600'))
  })

  test('a home that is open to others is refused with the command that closes it', async () => {
    await using user = new User()
    const home = user.env['HOLDFAST_HOME'] ?? ''
    mkdirSync(home)
    chmodSync(home, 0o755)
    for (const words of [
      ['daemon', 'start'],
      ['daemon', 'run'],
    ]) {
      const { code, stderr } = await user.run(words)
      expect(code).toBe(77)
      expect(stderr).toContain(`${home} is accessible to other users.`)
      expect(stderr).toContain(`chmod go-rwx ${home}`)
    }
    expect(readdirSync(home)).toEqual([])
    chmodSync(home, 0o700)
    expect((await user.run(['daemon', 'start'])).code).toBe(0)
  })

  test.each([
    ['a file', '/dev/null/home', 'cannot be created'],
    ['a folder in which nothing can be created', '/proc/holdfast', 'cannot be created'],
  ])('a home in %s is refused in one sentence', async (_, home, why) => {
    await using user = new User()
    const { code, stderr } = await user.run(['daemon', 'start'], { env: { HOLDFAST_HOME: home } })
    expect(code).toBe(69)
    expect(stderr).toContain(why)
    expect(stderr).not.toMatch(/^\s+at /m)
  })
})

describe('a socket that another user could have created', () => {
  type Plant = (socket: string, elsewhere: string) => void
  const isRoot = process.getuid?.() === 0
  const plants: readonly (readonly [string, boolean, Plant])[] = [
    ['leads elsewhere', true, (socket, elsewhere) => renameAndLink(socket, elsewhere)],
    ['is open to others', true, (socket) => chmodSync(socket, 0o666)],
    ['belongs to another user', isRoot, (socket) => chownSync(socket, 65_534, 65_534)],
    ['is in the folder of another user', isRoot, (socket) => chownSync(dirname(socket), 65_534, 65_534)],
  ]

  test.for(plants)('is not used if it %s', async ([, canPlant, plant], { skip }) => {
    skip(!canPlant, 'only root can give a file away')
    await using user = new User()
    const home = findHome(user.env)
    mkdirSync(home.folder, { mode: 0o700 })
    const heard: string[] = []
    const server = createServer((peer) => void heard.push('somebody', String(peer.read())))
    await listen(server, home.socket)
    plant(home.socket, join(user.folder, 'elsewhere.sock'))
    const { code, stderr } = await user.run(['rpc', 'db.task.list'])
    expect(code).toBe(77)
    expect(stderr).toMatch(/is a symbolic link|does not belong to this user|is accessible to other users/)
    await expect(connectTo(home)).rejects.toThrow(home.folder)
    expect(heard).toEqual([])
    server.close()
  })
})

function renameAndLink(socket: string, elsewhere: string): void {
  renameSync(socket, elsewhere)
  symlinkSync(elsewhere, socket)
}

async function listen(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve) => void server.listen(path, resolve))
  chmodSync(path, 0o600)
}
