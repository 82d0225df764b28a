import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { connectTo } from '../../src/cli/daemon/connect.ts'
import { findHome } from '../../src/daemon/home.ts'
import { readKeys } from '../../src/daemon/keys.ts'
import type { DaemonStatus } from '../../src/engine/call/context.ts'
import { chaosLine } from '../chaos-line.ts'
import { logOf } from '../child-daemon.ts'
import { User } from '../holdfast.ts'
import { createDatabase } from '../postgres.ts'
import { sharedPostgres } from '../shared.ts'
import { Package } from '../torture/upgrade.ts'

// Many processes on a busy machine take time.
vi.setConfig({ testTimeout: 600_000 })
const PATIENTLY = { timeout: 300_000, interval: 50 }

/** A user whose daemon reaches its database by a line that can fail. */
async function behindLine() {
  const line = await chaosLine(await createDatabase(await sharedPostgres()))
  const user = new User({ HOLDFAST_DATABASE_URL: line.url })
  const status = await user.json<DaemonStatus>(['daemon', 'start'])
  await user.json(['project', 'upsert', '.'])
  const home = findHome(user.env)
  await vi.waitFor(async () => {
    expect((await user.json<DaemonStatus>(['daemon', 'status'])).http.listening).toBe(true)
  }, PATIENTLY)
  /** What the daemon says about its server, without a question to it. */
  const away = async () => (await user.json<DaemonStatus>(['rpc', 'daemon.status'])).postgres?.away_since
  const hook = async (route: string, session: string, command: string) => {
    const { port, hook: token } = readKeys(home)
    const payload = {
      session_id: session,
      cwd: user.project,
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command },
      tool_use_id: crypto.randomUUID(),
    }
    const answer = await fetch(`http://127.0.0.1:${port}${route}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(payload),
    })
    return await answer.text()
  }
  return {
    line,
    user,
    home,
    status,
    away,
    hook,
    async [Symbol.asyncDispose]() {
      await user[Symbol.asyncDispose]()
      await line[Symbol.asyncDispose]()
    },
  }
}

test('hooks of a daemon whose PostgreSQL is away say so once, and strict ones refuse', async () => {
  await using it = await behindLine()
  it.line.swallow()
  // The first hooks find out.
  await vi.waitFor(async () => {
    await it.hook('/hook/claude-code', 'finder', 'ls')
    expect(await it.away()).not.toBeNull()
  }, PATIENTLY)
  const said = async (session: string) => await it.hook('/hook/claude-code', session, 'ls')
  const told = expect.stringMatching(
    /systemMessage.*no rule is enforced until PostgreSQL answers.*holdfast doctor/,
  )
  expect([await said('one'), await said('one'), await said('two'), await said('one')]).toEqual([
    told,
    '',
    told,
    '',
  ])
  const refused = await it.hook('/hook/claude-code/strict', 'one', 'ls')
  expect(refused).toMatch(/deny.*PostgreSQL has not answered since/)
  // What repairs it stays possible.
  expect(await it.hook('/hook/claude-code/strict', 'one', 'holdfast doctor')).toBe('')
  const since = (await it.away()) ?? ''
  const faults = logOf(it.user).filter(({ event, time }) => event === 'hook fault' && time > since)
  expect(faults.length).toBeLessThan(2)
  it.line.restore()
  await vi.waitFor(async () => expect(await it.away()).toBeNull(), PATIENTLY)
  expect(await said('one')).not.toContain('PostgreSQL')
  await vi.waitFor(() => {
    const events = logOf(it.user).map(({ event }) => event)
    expect(events.filter((event) => event.startsWith('database '))).toEqual([
      'database away',
      'database back',
    ])
  }, PATIENTLY)
})

test('a daemon stops while its PostgreSQL is away', async () => {
  await using it = await behindLine()
  it.line.swallow()
  const call = it.user.run(['task', 'list'])
  expect(await it.user.json(['daemon', 'stop'])).toMatchObject({ pid: it.status.pid })
  await vi.waitFor(() => expect(() => process.kill(it.status.pid, 0)).toThrow('ESRCH'), PATIENTLY)
  expect((await call).code).not.toBe(0)
})

test('a daemon hands over while its PostgreSQL is away, and its successor works when it is back', async () => {
  await using it = await behindLine()
  const next = new Package(join(it.user.folder, 'next'))
  next.become('99.0.0')
  it.line.swallow()
  const after = await it.user.json<DaemonStatus>(['rpc', 'daemon.status'], { entry: next.entry })
  expect(after).toMatchObject({ version: '99.0.0', http: it.status.http })
  expect(after.postgres?.away_since).not.toBeNull()
  const { code, stderr } = await it.user.run(['task', 'list'], { entry: next.entry })
  expect([code, stderr]).toEqual([69, expect.stringContaining('has not answered')])
  it.line.restore()
  await vi.waitFor(() => it.user.json(['task', 'upsert', 'login'], { entry: next.entry }), PATIENTLY)
  const connection = await connectTo(it.home)
  expect(await connection?.call('daemon.ping')).toMatchObject({ pid: after.pid })
  connection?.close()
})
