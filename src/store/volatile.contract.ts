import { describe, expect, test, vi } from 'vitest'
import type { Database } from './database.ts'
import type { Tx } from './query.ts'
import { insertMessages } from './message.ts'
import { flushSession, flushSessions } from './pending.ts'
import { findSession, insertSession, toSession } from './session.ts'
import type { Store } from './store.ts'
import { NOW, startEffort, TASK, withTask, type Open } from './open.contract.ts'

/** What volatile state promises, on any database. */
export function volatileContract(open: Open): void {
  describe('volatile state', () => {
    test('of a window that was found open is forgotten with the transaction that found it', async () => {
      await using it = await withSession(open)
      const { volatile } = it.store
      const window = { session: await it.now(), watch: { heartbeat: undefined, wantsEffort: false } }
      const kept = () => volatile.openWindows.get('native')?.session
      const found = (tx: Tx) => Promise.resolve(volatile.openWindows.keep(tx, 'native', window))
      await it.store.transact(found)
      // Other processes may end it in a shared database.
      const isOurs = it.store.database.kind === 'sqlite'
      expect(kept()?.id).toBe(isOurs ? it.session : undefined)
      volatile.add(it.session, { beats: 2 })
      await it.store.flush()
      expect(kept()?.heartbeat_counter).toBe(isOurs ? 2 : undefined)
      const undone = it.store.transact(async (tx) => {
        await found(tx)
        throw new Error('undone')
      })
      await expect(undone).rejects.toThrow('undone')
      expect(kept()).toBeUndefined()
      await it.store.transact(found)
      volatile.openWindows.invalidate(it.session)
      expect(kept()).toBeUndefined()
    })

    test('is visible at once and written soon, without a request', async () => {
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

    test('of calls stays with its session, in order, even after a rollback', async () => {
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

    test('is seen by a reader whose row was read before the flush, and once by one that read it after', async () => {
      await using it = await withSession(open)
      const { volatile } = it.store
      const read = () =>
        it.store.transact(async (tx) => toSession((await findSession(tx, { id: it.session }))!))
      const later = new Date(Date.parse(NOW) + 1).toISOString()
      const seen = { heartbeat_counter: 2, last_heartbeat: later, loaded_files: ['/a'] }
      const before = await read()
      volatile.add(it.session, { beats: 2, lastHeartbeat: later, loadedFiles: ['/a'] })
      await it.store.flush()
      expect(volatile.overlay(before)).toMatchObject(seen)
      expect(volatile.overlay(await read())).toMatchObject(seen)
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
        // The embedded database allows no other write before this one ends.
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
      // At least one flush has failed; the next one may hold the state for a moment.
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
    scope_of: null,
    workplace_id: effort?.workplace_id ?? 0,
  }
  const row = await insertSession(tx, { task_id: TASK, effort_id: effort?.id ?? 0, ...nothing, now: NOW })
  return row?.id ?? 0
}

async function withSession(open: Open) {
  let flushes = 0
  const it = await withTask(async (has) => {
    const opened = await open(has)
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
