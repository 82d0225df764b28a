import { copyFileSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Remote } from '../../src/cli/daemon/remote.ts'
import { findHome } from '../../src/daemon/home.ts'
import type { Backup } from '../../src/model/backup.ts'
import { HookedClient } from '../hooked-client.ts'
import { ENTRY, User } from '../holdfast.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

let user: User
let client: HookedClient
beforeAll(async () => {
  user = new User()
  client = new HookedClient(user, 'one', { patient: true })
  await user.wire()
  await user.json(['project', 'upsert', '.'])
  await client.fire('SessionStart', { source: 'startup' })
})
afterAll(() => user[Symbol.asyncDispose]())

/** The content of a database, by table. */
function contentOf(path: string): Readonly<Record<string, unknown>> {
  using db = new DatabaseSync(path, { readOnly: true })
  const tables = db.prepare(`select name from sqlite_schema where type = 'table'`).all()
  return Object.fromEntries(
    tables.map(({ name }) => [String(name), db.prepare(`select * from "${String(name)}"`).all()]),
  )
}

interface Restored {
  readonly name: string
  readonly later_entries: number | null
  readonly restored: boolean
  readonly replaced: string | null
  readonly restarts: boolean
}

test('the drill: a backup under load, restored in a fresh home, has the same content', async () => {
  const load = { calls: 0, isOver: false }
  const work = async () => {
    using daemon = new Remote({ env: user.env, entry: ENTRY })
    for (; !load.isOver; load.calls++)
      await daemon.call('db.task.upsert', { dir_path: join(user.project, `load-${load.calls}`) })
  }
  const loading = work()
  while (load.calls < 20) await client.use('Read', { file_path: '/etc/hosts' })
  const file = join(user.folder, 'drill.db')
  const made = await user.json<{ path: string }>(['backup', file])
  load.isOver = true
  await loading
  expect(made.path).toBe(file)

  await using fresh = new User()
  expect(await fresh.json(['restore', file, '--yes'])).toMatchObject({ restored: true, replaced: null })
  const restored = contentOf(findHome(fresh.env).database)
  expect(restored).toEqual(contentOf(file))
  const whole = contentOf(findHome(user.env).database)
  // One moment of the original: its ledger as far as it went then.
  const entries = restored['life_event'] as readonly unknown[]
  expect(entries.length).toBeGreaterThan(20)
  expect((whole['life_event'] as readonly unknown[]).slice(0, entries.length)).toEqual(entries)
  const tasks = await fresh.json<readonly unknown[]>(['query', 'select dir_path from tasks'])
  expect(tasks).toHaveLength((restored['tasks'] as readonly unknown[]).length)
})

test('a restore stops the daemon, callers wait for the next one, and the session goes on', async () => {
  const { name } = await user.json<Backup>(['backup'])
  await user.json(['task', 'upsert', 'later'])
  const restoring = user.json<Restored>(['restore', '--yes'])
  const others = Array.from({ length: 5 }, () => user.json<readonly object[]>(['task', 'list']))
  const restored = await restoring
  expect(restored).toMatchObject({ name, restored: true, restarts: true })
  expect(restored.later_entries).toBeGreaterThan(0)
  await Promise.all(others)
  const tasks = await user.json<readonly { dir_path: string }[]>(['task', 'list'])
  expect(tasks.map(({ dir_path }) => dir_path)).not.toContain(join(user.project, 'later'))
  expect(await client.use('Read', { file_path: '/etc/hosts' })).toMatchObject({ failures: [], refusals: [] })
  const sessions = await user.json<object[]>([
    'query',
    `select id from sessions where native_id = 'one' and ended_at is null`,
  ])
  expect(sessions).toHaveLength(1)

  const back = await user.json<Restored>(['restore', restored.replaced ?? '', '--yes'])
  expect(back.restored).toBe(true)
  const again = await user.json<readonly { dir_path: string }[]>(['task', 'list'])
  expect(again.map(({ dir_path }) => dir_path)).toContain(join(user.project, 'later'))
  const listed = await user.json<readonly Backup[]>(['backups'])
  expect(listed.filter(({ kind }) => kind === 'replaced')).toHaveLength(2)
  expect(readFileSync(findHome(user.env).log, 'utf8')).toContain('"restored"')
})

test('without a terminal nothing is restored without --yes, and the command that works is told', async () => {
  const { code, stdout } = await user.run(['--json', 'restore'])
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    restored: false,
    next: expect.stringMatching(/^holdfast restore .* --yes$/),
  })
})

test('an agent may neither read nor change a backup', async () => {
  const [{ path } = { path: '' }] = await user.json<readonly Backup[]>(['backups'])
  for (const command of [`cat ${path}`, `rm ${path}`, `cp /tmp/other.db ${path}`, `sqlite3 ${path} .dump`]) {
    const { refusals, questions } = await client.use('Bash', { command })
    expect([command, refusals.length + questions.length]).toEqual([command, 1])
  }
})

describe('the command refuses', () => {
  test.each([
    ['a damaged file', ['restore', 'damaged.db', '--yes'], 1],
    ['a file that is no database', ['restore', 'README.md', '--yes'], 66],
    ['the database itself', ['restore', '../home/engine.db', '--yes'], 1],
    ['a backup over a file that exists', ['backup', 'damaged.db'], 1],
  ])('%s', async (_, words, code) => {
    const { path } = await user.json<{ path: string }>(['backup'])
    copyFileSync(path, join(user.project, 'damaged.db'))
    truncateSync(join(user.project, 'damaged.db'), 20_000)
    const before = await user.json(['query', 'select count(*) from tasks'])
    expect(await user.run(words)).toMatchObject({ code, stdout: '' })
    expect(await user.json(['query', 'select count(*) from tasks'])).toEqual(before)
  })
})

test.each([
  ['backup', 'pg_dump'],
  ['backups', 'pg_dump'],
  ['restore', 'pg_restore'],
])('%s on PostgreSQL names %s', async (word, program) => {
  const env = { HOLDFAST_DATABASE_URL: 'postgres://127.0.0.1:9/holdfast' }
  const { code, stderr } = await user.run([word], { env })
  expect(code).toBe(1)
  expect(stderr).toContain(program)
})
