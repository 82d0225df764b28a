import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import about from '../../package.json' with { type: 'json' }
import { connectTo } from '../../src/cli/daemon/connect.ts'
import { findHome } from '../../src/daemon/home.ts'
import { readKeys } from '../../src/daemon/keys.ts'
import { writeLauncher } from '../../src/daemon/launcher.ts'
import type { DaemonStatus } from '../../src/engine/call/context.ts'
import { User } from '../holdfast.ts'
import { Package, upgradeRun } from '../torture/upgrade.ts'

// Many processes on a busy machine take time.
vi.setConfig({ testTimeout: 600_000 })

const SEED = Number(process.env['HOLDFAST_SEED'] ?? Date.now() % 1_000_000)

/** `npm run torture -- upgrade` makes a hundred. */
const UPGRADES = 8

// INV_ACK_IS_DURABLE
test(`${UPGRADES} upgrades under 32 clients: nothing acknowledged is lost, no call is refused (seed ${SEED})`, async () => {
  const report = await upgradeRun({ upgrades: UPGRADES, clients: 32, seed: SEED, log: () => undefined })
  console.log(`worst wait ${report.slowestMilliseconds} ms`, report.hooks)
  expect(report.violations).toEqual([])
  expect(report.acknowledged).toBeGreaterThan(10 * UPGRADES)
  for (const [route, { acknowledged }] of Object.entries(report.hooks))
    expect([route, acknowledged]).toEqual([route, expect.toSatisfy((count: number) => count > 0)])
})

/** A user, and a newer holdfast than their daemon. */
async function withNewer(user: User) {
  const before = await user.json<DaemonStatus>(['daemon', 'start'])
  const next = new Package(join(user.folder, 'next'))
  next.become('99.0.0')
  return { before, next }
}

test('an older command leaves a newer daemon running', async () => {
  await using user = new User()
  const { next } = await withNewer(user)
  const after = await user.json<DaemonStatus>(['rpc', 'daemon.status'], { entry: next.entry })
  expect(after.version).toBe('99.0.0')
  expect(await user.json(['rpc', 'daemon.ping'])).toMatchObject({ pid: after.pid, version: '99.0.0' })
})

test('an upgrade keeps the port, the tokens and the volatile state', async () => {
  await using user = new User()
  const { before, next } = await withNewer(user)
  await user.json(['project', 'upsert', '.'])
  await user.json(['task', 'upsert', user.project])
  const session = await user.json<{ id: number }>(['session', 'start', user.project])
  await user.json(['session', 'heartbeat', String(session.id)])
  const keys = readKeys(findHome(user.env))
  const after = await user.json<DaemonStatus>(['daemon', 'start'], { entry: next.entry })
  expect(after).toMatchObject({ version: '99.0.0', http: before.http, socket: before.socket })
  expect(readKeys(findHome(user.env))).toEqual(keys)
  const [found] = await user.json<{ heartbeat_counter: number }[]>([
    'session',
    'find',
    '--session',
    String(session.id),
  ])
  expect(found?.heartbeat_counter).toBe(1)
})

test('a newer daemon that cannot run leaves the older one serving, is not retried at once, and is logged', async () => {
  await using user = new User()
  const { before, next } = await withNewer(user)
  const tries = join(user.folder, 'tries')
  writeFileSync(
    next.daemon,
    `process.getBuiltinModule('node:fs').appendFileSync(${JSON.stringify(tries)}, 'x')
    throw new Error('it is broken')`,
  )
  for (let times = 0; times < 3; times++)
    expect(await user.json(['rpc', 'daemon.ping'], { entry: next.entry })).toMatchObject({
      pid: before.pid,
      version: about.version,
    })
  expect(readFileSync(tries, 'utf8')).toBe('x')
  expect(readFileSync(before.log, 'utf8')).toContain('it is broken')
})

test('a caller with a token cannot choose the program to run', async () => {
  await using user = new User()
  const { before } = await withNewer(user)
  const { full } = readKeys(findHome(user.env))
  const answer = await fetch(`http://127.0.0.1:${before.http.port}/rpc`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${full}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'daemon.handOver',
      params: { node: process.execPath, entry: '/nowhere.js' },
    }),
  })
  expect(await answer.json()).toMatchObject({ error: { data: { code: 'forbidden' } } })
  expect(await user.json(['rpc', 'daemon.ping'])).toMatchObject({ pid: before.pid })
})

test('a caller of the socket cannot choose the program to run', async () => {
  await using user = new User()
  const { pid } = await user.json<DaemonStatus>(['daemon', 'start'])
  const ran = join(user.folder, 'ran')
  const entry = join(user.project, 'bin', 'holdfast.js')
  mkdirSync(join(user.project, 'bin'))
  writeFileSync(join(user.project, 'package.json'), '{"name": "holdfast", "version": "99.0.0"}')
  writeFileSync(entry, `process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(ran)}, 'x')`)
  const params = JSON.stringify({ node: process.execPath, entry })
  const { code, stderr } = await user.run(['rpc', 'daemon.handOver', params])
  expect({ code, stderr }).toMatchObject({ code: 77, stderr: expect.stringContaining('does not run') })
  expect(existsSync(ran)).toBe(false)
  expect(await user.json(['rpc', 'daemon.ping'])).toMatchObject({ pid })
})

test('a daemon that is told to stop while its successor gets ready has no successor', async () => {
  await using user = new User()
  await user.json(['daemon', 'start'])
  const home = findHome(user.env)
  const entry = join(user.folder, 'slow.mjs')
  writeFileSync(entry, 'setInterval(() => undefined, 1000)')
  writeLauncher(home, { node: process.execPath, entry })
  const connection = await connectTo(home)
  const asked = connection
    ?.call('daemon.handOver', { node: process.execPath, entry })
    .catch((error: unknown) => String(error))
  expect(await user.json(['daemon', 'stop'])).toMatchObject({ stopped: true })
  expect(await asked).toMatch(/cannot take over|closed the connection/)
  expect(await user.json(['daemon', 'status'])).toMatchObject({ running: false })
})
