import { describe, expect, test, vi } from 'vitest'
import type { Database } from './database.ts'
import { databaseContract } from './database.contract.ts'
import { ensureAdHocEffort, insertEffort, listEfforts } from './effort.ts'
import { listLedger, record } from './ledger.ts'
import { insertMessages } from './message.ts'
import { type Migration, migrations } from './migrations/index.ts'
import { upsertProject } from './project.ts'
import type { Tx } from './query.ts'
import { fillAll, schemaContract } from './schema.contract.ts'
import { flushSession, flushSessions } from './pending.ts'
import { findSession, insertSession, toSession } from './session.ts'
import { migrate, openStore, type Store } from './store.ts'
import { nextOrdinal, upsertTask } from './task.ts'

/** A database that is empty, with ways around our own code to see what is really in it. */
export interface Opened {
  readonly database: Database
  /** Another connection to the same data. */
  again(): Promise<Database>
  /** What somebody else reads. */
  look(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  /** Called when all connections are closed. */
  dispose(): Promise<void>
}

const clock = { now: () => Date.now() }
const NOW = '2026-01-02T03:04:05.006Z'

/** What any database must do to hold our state; `open` gives a new and empty one each time. */
export function storeContract(name: string, open: () => Promise<Opened>): void {
  describe(`${name} as a store`, () => {
    schemaContract(open)
    databaseContract(open)
    migrationContract(open)
    volatileContract(open)
    ledgerContract(open)

    test('ordinals have no gaps under concurrent starts, even when some of them fail', async () => {
      await using it = await withTask(open)
      const starts = Array.from({ length: 24 }, (_, index) =>
        it.store.transact(async (tx) => {
          const effort = await startEffort(tx)
          if (index % 3 === 0) throw new Error('after the ordinal was taken')
          return effort?.ordinal
        }),
      )
      const results = await Promise.allSettled(starts)
      const given = results.flatMap((one) => (one.status === 'fulfilled' ? [Number(one.value)] : []))
      expect(given.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, index) => index + 1))
      const rows = await it.store.transact((tx) => listEfforts(tx, { task_id: TASK }))
      expect(rows.map(({ ordinal }) => ordinal)).toEqual(Array.from({ length: 17 }, (_, index) => index))
    })
  })
}

function migrationContract(open: () => Promise<Opened>): void {
  const addTable: Migration = {
    up: async (tx) => void (await tx.execute({ sql: 'create table added (n bigint)', parameters: [] })),
  }
  const breakDown: Migration = {
    async up(tx) {
      await tx.execute({ sql: 'create table half (n bigint)', parameters: [] })
      await tx.execute({ sql: `update projects set name = 'half'`, parameters: [] })
      throw new Error('in the middle')
    },
  }
  const versions = 'select version, name from migrations order by version'

  describe('a migration', () => {
    test('brings an empty database to the newest version, once, also when two begin together', async () => {
      await using it = await closing(await open())
      const other = it.closes(await it.again())
      await Promise.all([migrate(it.database, clock), migrate(other, clock)])
      const expected = migrations.map(([name], index) => ({ version: index + 1, name }))
      expect(await it.look(versions)).toMatchObject(expected)
      const before = await dump(it)
      await migrate(it.database, clock)
      expect(await dump(it)).toEqual(before)
    })

    test('to a newer schema keeps every row of the old one', async () => {
      await using it = await closing(await open())
      await migrate(it.database, clock)
      await it.database.transact((tx) => addTask(tx))
      const before = await dump(it)
      await migrate(it.database, clock, [...migrations, ['add', addTable]])
      const after = await dump(it)
      expect(after['added']).toEqual([])
      expect({ ...after, added: undefined, migrations: undefined }).toEqual({
        ...before,
        added: undefined,
        migrations: undefined,
      })
      expect((await it.look(versions)).length).toBe(migrations.length + 1)
    })

    // Defect 8 of the originals: another version of the tables dropped them all.
    test.each(migrations.slice(1).map(([name], index) => [name, index + 1] as const))(
      '%s keeps every row of the tables before it, and so do all that follow',
      async (_, version) => {
        await using it = await closing(await open())
        await migrate(it.database, clock, migrations.slice(0, version))
        await it.database.transact((tx) => fillAll(tx))
        const { migrations: _done, ...before } = await dump(it)
        expect(Object.values(before).filter((rows) => rows.length > 0).length).toBeGreaterThan(10)
        await migrate(it.database, clock)
        expect(await dump(it)).toMatchObject(before)
      },
    )

    test('that fails in the middle leaves the old version and nothing half made', async () => {
      await using it = await closing(await open())
      await migrate(it.database, clock)
      await it.database.transact((tx) => addTask(tx))
      const before = await dump(it)
      const list = [...migrations, ['add', addTable], ['break', breakDown]] as const
      await expect(migrate(it.database, clock, list)).rejects.toThrow('in the middle')
      const after = await dump(it)
      // The one before it is a step of its own and stays.
      expect(after['migrations']).toHaveLength(migrations.length + 1)
      expect({ ...after, added: undefined, migrations: undefined }).toEqual({
        ...before,
        added: undefined,
        migrations: undefined,
      })
      await migrate(it.database, clock, [...list.slice(0, -1), ['mended', { up: async () => undefined }]])
      expect(await it.look(versions)).toHaveLength(migrations.length + 2)
    })

    test('never touches a database that a newer program has written', async () => {
      await using it = await closing(await open())
      await migrate(it.database, clock, [...migrations, ['from the future', addTable]])
      await it.database.transact((tx) => addTask(tx))
      const before = await dump(it)
      await expect(openStore(await it.again(), { clock })).rejects.toMatchObject({
        code: 'newer-database',
        message: expect.stringContaining(`version ${migrations.length + 1}`),
        hint: expect.stringContaining('npm install'),
      })
      expect(await dump(it)).toEqual(before)
    })
  })
}

function volatileContract(open: () => Promise<Opened>): void {
  describe('volatile state', () => {
    test('of a window that was found open is forgotten with the transaction that found it', async () => {
      await using it = await withSession(open)
      const { volatile } = it.store
      const found = (tx: Tx) => Promise.resolve(volatile.found(tx, 'native', it.session))
      await it.store.transact(found)
      // Others may end it where the database is not ours alone.
      expect(volatile.windowOf('native')).toBe(it.store.database.kind === 'sqlite' ? it.session : undefined)
      const undone = it.store.transact(async (tx) => {
        await found(tx)
        throw new Error('undone')
      })
      await expect(undone).rejects.toThrow('undone')
      expect(volatile.windowOf('native')).toBeUndefined()
    })

    test('is seen at once and written soon, without anybody asking', async () => {
      await using it = await withSession(open)
      it.store.volatile.add(it.session, { beats: 2, lastHeartbeat: NOW })
      it.store.volatile.add(it.session, { beats: 1, contextUsage: 0.5, loadedFiles: ['/a'] })
      expect(await it.now()).toMatchObject({
        heartbeat_counter: 3,
        last_heartbeat: NOW,
        context_usage: 0.5,
        loaded_files: ['/a'],
      })
      await vi.waitFor(
        async () =>
          expect(await it.look('select * from sessions')).toMatchObject([
            { last_heartbeat: NOW, context_usage: 0.5, loaded_files: '["/a"]' },
          ]),
        { timeout: 60_000 },
      )
      expect(await it.now()).toMatchObject({ heartbeat_counter: 3, loaded_files: ['/a'] })
      expect(it.store.volatile.isEmpty()).toBe(true)
    })

    test('comes back into memory, with what was added meanwhile, when its transaction is undone', async () => {
      await using it = await withSession(open)
      it.store.volatile.add(it.session, { beats: 2, contextUsage: 0.5, loadedFiles: ['/a', '/b'] })
      const attempt = it.store.transact(async (tx) => {
        const sessions = it.store.volatile.take(tx, [it.session])
        it.store.volatile.add(it.session, { beats: 1, loadedFiles: ['/b', '/c'] })
        await flushSessions(tx, sessions)
        throw new Error('undone')
      })
      await expect(attempt).rejects.toThrow('undone')
      expect(await it.now()).toMatchObject({
        heartbeat_counter: 3,
        context_usage: 0.5,
        loaded_files: ['/a', '/b', '/c'],
      })
    })

    test('of calls stays with its session, in order, also when its transaction is undone', async () => {
      await using it = await withSession(open)
      const other = await it.store.transact(startSession)
      const begun = (id: string) => ({ begun: { id, tool: 'Bash', what: id, at: NOW } })
      it.store.volatile.add(it.session, { calls: [begun('a'), begun('b')] })
      it.store.volatile.add(other, { calls: [begun('c')] })
      const attempt = it.store.transact(async (tx) => {
        const sessions = it.store.volatile.take(tx, [it.session])
        it.store.volatile.add(it.session, { calls: [{ ended: ['a'] }, begun('d')] })
        await flushSessions(tx, sessions)
        throw new Error('undone')
      })
      await expect(attempt).rejects.toThrow('undone')
      for (const _ of ['in memory', 'on disk']) {
        expect(await it.now()).toMatchObject({ heartbeat_counter: 3, open_calls: [{ id: 'b' }, { id: 'd' }] })
        expect(await it.now(other)).toMatchObject({ heartbeat_counter: 1, open_calls: [{ id: 'c' }] })
        await it.store.flush()
      }
    })

    test('is seen once while it is on its way to the disk, whichever row a reader has', async () => {
      await using it = await withSession(open)
      const later = new Date(Date.parse(NOW) + 1).toISOString()
      it.store.volatile.add(it.session, { beats: 2, lastHeartbeat: later, loadedFiles: ['/a'] })
      const seen = { heartbeat_counter: 2, last_heartbeat: later, loaded_files: ['/a'] }
      await it.store.transact(async (tx) => {
        const before = await findSession(tx, { id: it.session })
        const taken = it.store.volatile.takeForBeat(tx, [it.session])
        await flushSessions(tx, taken.sessions)
        const after = await findSession(tx, { id: it.session })
        for (const row of [before, after])
          expect(row && it.store.volatile.overlay(toSession(row))).toMatchObject(seen)
        it.store.volatile.written(taken)
      })
      expect(await it.now()).toMatchObject(seen)
    })

    test('of one session can be taken without that of the others', async () => {
      await using it = await withSession(open)
      const other = await it.store.transact(startSession)
      it.store.volatile.add(it.session, { beats: 1 })
      it.store.volatile.add(other, { beats: 5 })
      await it.store.transact(async (tx) => {
        const sessions = it.store.volatile.take(tx, [it.session])
        expect([...sessions.keys()]).toEqual([it.session])
        await flushSessions(tx, sessions)
      })
      expect(await it.now()).toMatchObject({ heartbeat_counter: 1 })
      expect(await it.now(other)).toMatchObject({ heartbeat_counter: 5 })
    })

    test('of messages is stored whole and in order, however many there are', async () => {
      await using it = await withSession(open)
      const contents = Array.from({ length: 12_000 }, (_, index) => `${index}`)
      const messages = contents.map((content) => ({ role: 'user' as const, content, at: NOW }))
      await it.store.transact((tx) => insertMessages(tx, it.session, messages))
      const stored = await it.look('select content from messages order by id')
      expect(stored.map(({ content }) => content)).toEqual(contents)
    })

    test('of a session that is undone is gone with it', async () => {
      await using it = await withTask(open)
      const attempt = it.store.transact(async (tx) => {
        const id = await startSession(tx)
        tx.onRollback(() => it.store.volatile.forget(id))
        it.store.volatile.add(id, { beats: 3 })
        await flushSession(tx, it.store.volatile, id)
        throw new Error('undone')
      })
      await expect(attempt).rejects.toThrow('undone')
      expect(it.store.volatile.isEmpty()).toBe(true)
    })

    test('of a session that is being stored waits for it', async () => {
      await using it = await withTask(open)
      let flushed: Promise<void> | undefined
      const session = await it.store.transact(async (tx) => {
        const id = await startSession(tx)
        it.store.volatile.add(id, { beats: 3 })
        flushed = it.store.flush()
        // The embedded database lets nobody write before this one has ended.
        if (tx.kind === 'postgres') await flushed
        return id
      })
      await flushed
      expect(await sessionNow(it.store, session)).toMatchObject({ heartbeat_counter: 3 })
      await it.store.flush()
      expect(await sessionNow(it.store, session)).toMatchObject({ heartbeat_counter: 3 })
    })

    test('that cannot be written now is written when it can', async () => {
      await using it = await withSession(open)
      const rename = (from: string, to: string) =>
        it.store.transact((tx) => tx.execute({ sql: `alter table ${from} rename to ${to}`, parameters: [] }))
      await rename('sessions', 'elsewhere')
      it.store.volatile.add(it.session, { beats: 4 })
      it.store.volatile.remember({ key: 'k', method: 'm', digest: 'd', result: '1' })
      // One flush at least has failed by now; the next one may be under way, and takes it along for a moment.
      await vi.waitFor(
        () => {
          expect(it.flushes()).toBeGreaterThan(0)
          expect(it.store.volatile.isEmpty()).toBe(false)
        },
        { timeout: 60_000 },
      )
      await rename('elsewhere', 'sessions')
      await vi.waitFor(() => expect(it.store.volatile.isEmpty()).toBe(true), { timeout: 60_000 })
      await vi.waitFor(
        async () =>
          expect(await it.look('select key, result from idempotency_keys')).toMatchObject([
            { key: 'k', result: '1' },
          ]),
        { timeout: 60_000 },
      )
      expect(await it.now()).toMatchObject({ heartbeat_counter: 4 })
    })

    test('is not lost when the store is closed', async () => {
      await using it = await withSession(open)
      it.store.volatile.add(it.session, { beats: 7, loadedFiles: ['/a'] })
      it.store.volatile.remember({ key: 'k', method: 'm', digest: 'd', result: '1' })
      await it.store.close()
      const [row] = await it.look('select heartbeat_counter as n, loaded_files from sessions')
      expect({ ...row, n: Number(row?.['n']) }).toEqual({ n: 7, loaded_files: '["/a"]' })
      expect(await it.look('select key from idempotency_keys')).toMatchObject([{ key: 'k' }])
    })
  })
}

function ledgerContract(open: () => Promise<Opened>): void {
  // Defect 12 of the originals.
  test('the ledger is ordered by its own numbers, however the clock jumps and however ids sort', async () => {
    await using it = await withTask(open)
    const told = [
      ['z', '2026-01-01T00:00:00.000Z'],
      ['a', '2026-01-01T00:00:00.000Z'],
      ['m', '1999-01-01T00:00:00.000Z'],
    ] as const
    for (const [id, now] of told)
      await it.store.transact((tx) => record(tx, { event_type: 'task.created' }, { id, now }))
    const read = (newestFirst: boolean) =>
      it.store.transact((tx) => listLedger(tx, { newestFirst, limit: 10, settled: true }))
    expect((await read(false)).map(({ id }) => id)).toEqual(['z', 'a', 'm'])
    expect((await read(true)).map(({ id }) => id)).toEqual(['m', 'a', 'z'])
  })
}

const TASK = '/p/t'

async function addTask(tx: Tx): Promise<void> {
  const project = await upsertProject(tx, { path: '/p', name: null, now: NOW })
  const task = { dir_path: TASK, workspace: null, title: null, description: null, now: NOW }
  await upsertTask(tx, { ...task, project_id: project?.id ?? 0 })
  await ensureAdHocEffort(tx, { task_id: TASK, now: NOW })
}

async function startEffort(tx: Tx) {
  const counter = await nextOrdinal(tx, { dir_path: TASK })
  const fields = {
    task_id: TASK,
    skill: 's',
    mode: null,
    metadata: null,
    agent_id: null,
    open_calls: null,
    now: NOW,
  }
  return await insertEffort(tx, { ...fields, ordinal: counter?.last_ordinal ?? 0 })
}

async function startSession(tx: Tx): Promise<number> {
  const effort = await startEffort(tx)
  const nothing = {
    prev_session_id: null,
    pid: null,
    native_id: null,
    client: null,
    agent_id: null,
    open_calls: null,
    loaded_files: null,
    told_directives: null,
  }
  const row = await insertSession(tx, { task_id: TASK, effort_id: effort?.id ?? 0, ...nothing, now: NOW })
  return row?.id ?? 0
}

async function withTask(open: () => Promise<Opened>) {
  const opened = await closing(await open())
  const store = await openStore(opened.database, { clock })
  await store.transact(addTask)
  return {
    ...opened,
    store,
    async [Symbol.asyncDispose]() {
      await store.close().catch(() => undefined)
      await opened[Symbol.asyncDispose]()
    },
  }
}

async function withSession(open: () => Promise<Opened>) {
  let flushes = 0
  const it = await withTask(async () => {
    const opened = await open()
    return { ...opened, database: countingFailures(opened.database, () => void flushes++) }
  })
  const session = await it.store.transact(startSession)
  return {
    ...it,
    session,
    flushes: () => flushes,
    now: (id = session) => sessionNow(it.store, id),
  }
}

const countingFailures = (database: Database, onFailure: () => void): Database => ({
  ...database,
  async transact(run, options) {
    return await database.transact(run, options).catch((error: unknown) => {
      onFailure()
      throw error
    })
  },
})

async function sessionNow(store: Store, id: number) {
  const row = await store.transact((tx) => findSession(tx, { id }))
  if (row === undefined) throw new Error('The session is gone.')
  return store.volatile.overlay(toSession(row))
}

/** Closes every connection before the data goes. */
async function closing(opened: Opened) {
  const open = [opened.database]
  return {
    ...opened,
    closes(database: Database): Database {
      open.push(database)
      return database
    },
    async [Symbol.asyncDispose]() {
      for (const database of open) await database.close().catch(() => undefined)
      await opened.dispose()
    },
  }
}

/** Everything that is in a database, as somebody else reads it. */
export async function dump(opened: Pick<Opened, 'database' | 'look'>): Promise<Record<string, unknown[]>> {
  const tables =
    opened.database.kind === 'sqlite'
      ? `select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`
      : `select tablename as name from pg_tables where schemaname = 'public'`
  const names = (await opened.look(tables)).map(({ name }) => String(name))
  const found: Record<string, unknown[]> = {}
  for (const name of names) found[name] = [...(await opened.look(`select * from ${name}`))]
  return found
}
