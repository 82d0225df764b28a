import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { reach } from '../../src/cli/daemon/reach.ts'
import { findHome } from '../../src/daemon/home.ts'
import { claimHome } from '../../src/daemon/lock.ts'
import { ConnectionLost, type RpcConnection } from '../../src/rpc/connect.ts'
import { ENTRY, User } from '../holdfast.ts'
import { untilFree } from '../torture/free.ts'
import { Wire } from '../torture/wire.ts'
import { logOf, running } from '../child-daemon.ts'

async function prepare(user: User, connection: RpcConnection) {
  const { id } = (await connection.call('db.project.upsert', { path: user.project })) as { id: number }
  for (const name of ['build', 'test']) await connection.call('db.skills.upsert', { project_id: id, name })
  await connection.call('db.task.upsert', { dir_path: user.project })
  return (await connection.call('db.session.start', { task_id: user.project })) as { id: number }
}

/** Reads concurrently with a writer. */
function read<T>(user: User, sql: string): readonly T[] {
  const db = new DatabaseSync(findHome(user.env).database, { readOnly: true })
  try {
    return db.prepare(sql).all() as T[]
  } finally {
    db.close()
  }
}

describe('a daemon that is told to stop', () => {
  test.each<[string, (child: ChildProcess, connection: RpcConnection) => unknown]>([
    ['by SIGTERM', (child) => child.kill('SIGTERM')],
    ['by SIGINT', (child) => child.kill('SIGINT')],
    ['by a call', (_, connection) => connection.call('daemon.stop')],
    ['twice', (child) => child.kill('SIGTERM') && child.kill('SIGTERM')],
  ])('%s writes its volatile state, removes its socket and frees the lock', async (_, stop) => {
    await using user = new User()
    const { child, ended, home, connection } = await running(user)
    const session = await prepare(user, connection)
    for (let beat = 1; beat <= 7; beat++)
      await connection.call('db.session.heartbeat', {
        session_id: session.id,
        idempotency_key: `beat-${beat}`,
      })
    await connection.call('db.session.updateContextUsage', { session_id: session.id, usage: 0.5 })
    await stop(child, connection)
    expect(await ended).toEqual([0, null])
    await connection.closed
    expect(existsSync(home.socket)).toBe(false)
    expect(existsSync(`${home.database}-wal`)).toBe(false)
    const lock = claimHome(home)
    expect(lock).toBeDefined()
    lock?.release()
    expect(read(user, 'select heartbeat_counter, context_usage from sessions')).toEqual([
      { heartbeat_counter: 7, context_usage: 0.5 },
    ])
    expect(read(user, `select count(*) as n from idempotency_keys where key like 'beat-%'`)).toEqual([
      { n: 7 },
    ])
    expect(logOf(user).map(({ event }) => event)).toEqual(['listening', 'stopping', 'stopped'])
  })

  test('answers every earlier call', async () => {
    await using user = new User()
    const { ended, home, connection } = await running(user)
    const session = await prepare(user, connection)
    using wire = await Wire.open(home.socket)
    const message = { session_id: session.id, role: 'user', content: 'x' }
    for (let id = 0; id < 50; id++) wire.call('db.messages.append', message, { id })
    wire.call('fs.files.append', { path: join(user.project, 'a.txt'), content: 'all of it' }, { id: 50 })
    wire.call('daemon.stop', {}, { id: 51 })
    const answered = new Set<unknown>()
    for (let count = 0; count < 52; count++) {
      const { id, result } = await wire.reply()
      if (result !== undefined) answered.add(id)
    }
    expect(answered.size).toBe(52)
    expect(await wire.closed()).toEqual([])
    await ended
    expect(read(user, 'select count(*) as n from messages')).toEqual([{ n: 50 }])
    expect(readFileSync(join(user.project, 'a.txt'), 'utf8')).toBe('all of it')
  })

  test('by a signal during calls: answered calls are stored, the others completely or not at all', async () => {
    await using user = new User()
    const { child, ended, connection } = await running(user)
    const session = await prepare(user, connection)
    const calls = Array.from({ length: 300 }, (_, index) =>
      connection.call('db.messages.append', {
        session_id: session.id,
        role: 'user',
        content: `text ${index}`,
        idempotency_key: `text ${index}`,
      }),
    )
    await calls[0]
    child.kill('SIGTERM')
    const answers = await Promise.allSettled(calls)
    expect(await ended).toEqual([0, null])
    const failures = answers.flatMap((answer) =>
      answer.status === 'rejected' ? [answer.reason as Error] : [],
    )
    expect(failures.filter((failure) => !(failure instanceof ConnectionLost))).toEqual([])
    const stored = new Set(
      read<{ content: string }>(user, 'select content from messages').map((row) => row.content),
    )
    const keys = new Set(
      read<{ key: string }>(user, 'select key from idempotency_keys').map((row) => row.key),
    )
    expect(keys).toEqual(stored)
    const lost = answers.flatMap((answer, index) =>
      answer.status === 'fulfilled' && !stored.has(`text ${index}`) ? [index] : [],
    )
    expect(lost).toEqual([])
  })

  test('does not wait for callers that only listen', async () => {
    await using user = new User()
    const { child, ended, home, connection } = await running(user)
    await connection.call('ledger.subscribe')
    using idle = await Wire.open(home.socket)
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect(await idle.closed()).toEqual([])
    await connection.closed
  })

  test('keeps running when its terminal closes', async () => {
    await using user = new User()
    const { child, connection } = await running(user)
    child.kill('SIGHUP')
    expect(await connection.call('daemon.ping')).toMatchObject({ pong: true, pid: child.pid })
    connection.close()
  })
})

describe('a daemon that dies', () => {
  const again = async (user: User) => await reach({ home: findHome(user.env), entry: ENTRY, env: user.env })

  test('loses only the heartbeats of the last moment', async () => {
    await using user = new User()
    const { child, ended, connection } = await running(user)
    const session = await prepare(user, connection)
    const beat = () => connection.call('db.session.heartbeat', { session_id: session.id })
    for (let beats = 0; beats < 5; beats++) await beat()
    const stored = () =>
      read<{ heartbeat_counter: number }>(user, 'select heartbeat_counter from sessions')[0]
        ?.heartbeat_counter ?? 0
    // They are written without any other event.
    while (stored() < 5) await sleep(20)
    for (let beats = 0; beats < 3; beats++) await beat()
    child.kill('SIGKILL')
    await ended
    const next = await again(user)
    const [found] = (await next.call('db.session.find', { session_id: session.id })) as {
      heartbeat_counter: number
    }[]
    expect(found?.heartbeat_counter).toBeGreaterThanOrEqual(5)
    expect(found?.heartbeat_counter).toBeLessThanOrEqual(8)
    expect(await next.call('db.session.heartbeat', { session_id: session.id })).toMatchObject({
      heartbeat_counter: (found?.heartbeat_counter ?? 0) + 1,
    })
    expect(read(user, 'pragma integrity_check')).toEqual([{ integrity_check: 'ok' }])
    next.close()
  })

  test('has given the answer that a repeated call gets from the next one', async () => {
    await using user = new User()
    const { child, ended, connection } = await running(user)
    await prepare(user, connection)
    const path = join(user.project, 'notes.txt')
    const calls: [string, Record<string, unknown>][] = [
      ['db.effort.start', { task_id: user.project, skill: 'build', idempotency_key: 'one' }],
      ['db.effort.phase', { effort_id: 2, label: '1: Plan', idempotency_key: 'two' }],
      ['fs.files.append', { path, content: 'once\n', idempotency_key: 'three' }],
    ]
    const first: unknown[] = []
    for (const [method, params] of calls) first.push(await connection.call(method, params))
    child.kill('SIGKILL')
    await ended
    const next = await again(user)
    const second: unknown[] = []
    for (const [method, params] of calls) second.push(await next.call(method, params))
    expect(second).toEqual(first)
    expect(await next.call('db.effort.list', { task_id: user.project })).toHaveLength(1)
    expect(readFileSync(path, 'utf8')).toBe('once\n')
    const other = next.call('db.effort.start', {
      task_id: user.project,
      skill: 'test',
      idempotency_key: 'one',
    })
    await expect(other).rejects.toThrow('was already used')
    next.close()
  })

  test('has a successor that continues its notifications', async () => {
    await using user = new User()
    const seen: { seq: number; agent_id: string }[] = []
    const listen = async (connection: RpcConnection) =>
      await connection.call('ledger.subscribe', {
        after: seen.at(-1)?.seq ?? 0,
        event_type: 'agent.registered',
      })
    const arrived = async (count: number) => {
      while (seen.length < count) await sleep(10)
    }
    const launch = { home: findHome(user.env), entry: ENTRY, env: user.env }
    const onNews = (_: string, news: unknown) =>
      void seen.push((news as { entry: (typeof seen)[number] }).entry)
    for (let round = 0; round < 3; round++) {
      const listener = await reach(launch, onNews)
      await listen(listener)
      const caller = await reach(launch)
      for (let count = 0; count < 10; count++)
        await caller.call('db.agents.register', { id: `agent-${round}-${count}` })
      await arrived(round * 12 + 10)
      const { pid } = (await caller.call('daemon.status')) as { pid: number }
      // The next daemon must send the entries that the lost listener missed.
      listener.close()
      await listener.closed
      for (const late of ['x', 'y']) await caller.call('db.agents.register', { id: `agent-${round}-${late}` })
      process.kill(pid, round === 1 ? 'SIGTERM' : 'SIGKILL')
      await untilFree(launch.home)
    }
    const last = await reach(launch, onNews)
    await listen(last)
    await arrived(36)
    expect(new Set(seen.map(({ agent_id: id }) => id)).size).toBe(36)
    expect(seen).toHaveLength(36)
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map(({ seq }) => seq).toSorted((a, b) => a - b))
    last.close()
  })

  test('of a bug of ours logs it', async () => {
    await using user = new User()
    const entry = join(user.folder, 'entry.mjs')
    writeFileSync(
      entry,
      `process.on('SIGUSR2', () => { throw new Error('on purpose') })
      process.argv.splice(1, 1, ${JSON.stringify(ENTRY)})
      await import(${JSON.stringify(pathToFileURL(ENTRY).href)})`,
    )
    const { child, ended, connection } = await running(user, { entry })
    child.kill('SIGUSR2')
    const [code] = await ended
    expect(code).not.toBe(0)
    await connection.closed
    // Anywhere in the log, because the lines before it are written asynchronously.
    expect(logOf(user)).toContainEqual(
      expect.objectContaining({ level: 'error', event: 'crashed', message: 'on purpose' }),
    )
  })
})

test('a daemon that hangs is reported as such, and can be ended', async () => {
  await using user = new User()
  const { child, ended } = await running(user)
  child.kill('SIGSTOP')
  // Concurrently, because each waits until an answer can no longer be expected.
  const typed = [
    ['daemon', 'status'],
    ['daemon', 'stop'],
    ['task', 'list'],
  ]
  // As processes, because what stays open keeps a process alive.
  const [made, ...asked] = await Promise.all([['backup'], ...typed].map((words) => user.process(words)))
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Made\s/) })
  for (const { code, stderr } of asked) {
    expect({ code, stderr }).toEqual({
      code: 75,
      stderr: `holdfast: The daemon (pid ${child.pid}) does not answer.\n  try: holdfast daemon stop --force\n`,
    })
  }
  expect(await user.json(['daemon', 'stop', '--force'])).toEqual({ stopped: true, pid: child.pid })
  expect(await ended).toEqual([null, 'SIGKILL'])
  expect(await user.json(['daemon', 'stop', '--force'])).toMatchObject({ stopped: false })
  expect(await user.json(['task', 'list'])).toEqual([])
})

test('a daemon of another home is never killed, whatever pid the file of this home names', async () => {
  await using user = new User()
  await using other = new User()
  const { child, connection } = await running(other)
  const { about, folder } = findHome(user.env)
  mkdirSync(folder, { mode: 0o700 })
  writeFileSync(about, JSON.stringify({ pid: child.pid, version: '0.0.0' }))
  const { code, stderr } = await user.run(['daemon', 'stop', '--force'])
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `holdfast: ${about} names process ${child.pid}, which is a daemon of another home; nothing was stopped.\n  try: rm ${about}\n`,
  })
  expect(await connection.call('daemon.ping')).toMatchObject({ pid: child.pid })
  for (const pid of [-1, 0, '1', process.pid]) {
    writeFileSync(about, JSON.stringify({ pid }))
    expect(await user.json(['daemon', 'stop', '--force'])).toEqual({ stopped: false, pid: null })
  }
})

test('a daemon whose database was replaced stops, and the next one uses the new database', async () => {
  await using user = new User()
  const { ended, home, connection } = await running(user)
  await connection.call('db.project.upsert', { path: user.project })
  renameSync(home.database, `${home.database}.moved`)
  expect(await ended).toEqual([0, null])
  expect(logOf(user)).toContainEqual(expect.objectContaining({ level: 'error', event: 'files in doubt' }))
  expect(await user.json(['project', 'list'])).toEqual([])
})
