import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { type LedgerRow, record } from '../../store/ledger.ts'
import type { Caller } from '../call/context.ts'
import type { World } from '../world.contract.ts'

/** What reading and following the ledger promises. */
export function ledgerContract(world: () => World): void {
  describe('reading the ledger', () => {
    test('goes back from the newest entry, or forward from a number, page by page', async () => {
      const seq = await world().lastSeq()
      for (let index = 0; index < 5; index++) await world().agent()
      const list = (params: object) => world().call('ledger.list', params)
      const all = await list({ after: seq })
      expect(all).toHaveLength(5)
      const seqs = all.map((row: LedgerRow) => row.seq)
      expect(seqs).toEqual(seqs.toSorted((a: number, b: number) => a - b))
      expect(await list({ limit: 5 })).toEqual(all.toReversed())
      expect(await list({ after: all[1].seq, limit: 2 })).toEqual(all.slice(2, 4))
      expect(await list({ before: all[3].seq, limit: 2 })).toEqual([all[2], all[1]])
      expect(await list({ after: all[0].seq, before: all[4].seq })).toEqual(all.slice(1, 4))
    })

    test('can filter by kind, skill, effort, project and session', async () => {
      const skill = world().name('skill')
      await world().call('db.skills.upsert', { name: skill, project_id: world().projectId })
      const seq = await world().lastSeq()
      const effort = await world().effort({ skill })
      const session = await world().call('db.session.start', {
        task_id: effort.task_id,
        effort_id: effort.id,
      })
      await world().agent()
      const kinds = async (filter: object) =>
        (await world().call('ledger.list', { after: seq, ...filter })).map((row: LedgerRow) => row.event_type)
      expect(await kinds({ event_type: 'agent.registered' })).toEqual(['agent.registered'])
      expect(await kinds({ skill })).toEqual(['effort.started'])
      expect(await kinds({ effort_id: effort.id })).toEqual(['effort.started', 'session.started'])
      expect(await kinds({ session_id: session.id })).toEqual(['session.started'])
      expect(await kinds({ project_id: world().projectId })).toEqual([
        'task.created',
        'effort.started',
        'session.started',
      ])
    })
  })

  describe('following the ledger', () => {
    test('sends each new entry once, in order, during concurrent writes', async () => {
      using follower = follow(world())
      const { subscription, after } = await follower.subscribe()
      await Promise.all(Array.from({ length: 30 }, () => world().agent()))
      await vi.waitFor(() => expect(follower.entries).toHaveLength(30), { timeout: 60_000 })
      expect(follower.entries).toEqual(await world().since(after))
      expect(new Set(follower.names)).toEqual(new Set([subscription]))
    })

    test('starts at the requested number, over any number of pages', async () => {
      using follower = follow(world())
      const seq = await world().lastSeq()
      const session = await world().call('db.session.start', { task_id: await world().task() })
      const say = { session_id: session.id, role: 'user', content: '' }
      for (let count = 0; count < 9; count++)
        await Promise.all(Array.from({ length: 50 }, () => world().call('db.messages.append', say)))
      expect(await follower.subscribe({ after: seq })).toMatchObject({ after: seq })
      await vi.waitFor(() => expect(follower.entries).toHaveLength(452), { timeout: 60_000 })
      expect(follower.entries).toEqual(await world().since(seq))
    })

    test('sends only entries that match the filter', async () => {
      using follower = follow(world())
      await follower.subscribe({ event_type: 'task.created' })
      await world().agent()
      const task = await world().task()
      await world().agent()
      const last = await world().task()
      await vi.waitFor(() => expect(follower.entries).toHaveLength(2), { timeout: 60_000 })
      expect(follower.entries.map(({ payload }) => payload)).toEqual([{ dir_path: task }, { dir_path: last }])
    })

    test('sends the entries of other machines', async () => {
      using follower = follow(world())
      await follower.subscribe()
      const other = await world().opened.again()
      const id = world().name('entry')
      await other.transact((tx) => record(tx, { event_type: 'task.updated' }, { id, now: '' }))
      await vi.waitFor(() => expect(follower.entries).toMatchObject([{ id }]), { timeout: 60_000 })
      await other.close()
    })

    test('waits for a slow listener and loses nothing', async () => {
      const gate = Promise.withResolvers<void>()
      using follower = follow(world(), () => gate.promise)
      const { after } = await follower.subscribe()
      for (let count = 0; count < 3; count++) await world().agent()
      await vi.waitFor(() => expect(follower.entries).toHaveLength(1), { timeout: 60_000 })
      gate.resolve()
      await vi.waitFor(() => expect(follower.entries).toHaveLength(3), { timeout: 60_000 })
      expect(follower.entries).toEqual(await world().since(after))
    })

    test('stops when the caller disconnects, even within a page', async () => {
      const follower = follow(world(), () => Promise.resolve(follower.leave()))
      const seq = await world().lastSeq()
      for (let count = 0; count < 3; count++) await world().agent()
      const listeners = world().watch.listeners
      await follower.subscribe({ after: seq })
      await vi.waitFor(() => expect(follower.entries).toHaveLength(1), { timeout: 60_000 })
      await nobodyLooks(world())
      expect(follower.entries).toHaveLength(1)
      expect(world().watch.listeners).toBe(listeners)
    })

    test('does not start for a caller that has already left', async () => {
      const follower = follow(world())
      const listeners = world().watch.listeners
      follower.leave()
      await follower.subscribe()
      await nobodyLooks(world())
      expect(follower.entries).toEqual([])
      expect(world().watch.listeners).toBe(listeners)
    })

    test('survives a listener that fails', async () => {
      const follower = follow(world(), () => Promise.reject(new Error('broken pipe')))
      await follower.subscribe()
      await world().agent()
      await vi.waitFor(() => expect(follower.entries).toHaveLength(1), { timeout: 60_000 })
      follower.leave()
      await nobodyLooks(world())
    })
  })
}

function follow(world: World, onEntry: () => Promise<void> = () => Promise.resolve()) {
  const gone = new AbortController()
  const [entries, names]: [LedgerRow[], string[]] = [[], []]
  const caller: Partial<Caller> = {
    gone: gone.signal,
    async notify(method, params) {
      expect(method).toBe('ledger.entry')
      const { subscription, entry } = params as { subscription: string; entry: LedgerRow }
      names.push(subscription)
      entries.push(entry)
      await onEntry()
    },
  }
  const leave = () => gone.abort()
  return {
    entries,
    names,
    leave,
    subscribe: (params: object = {}) => world.call('ledger.subscribe', params, caller),
    [Symbol.dispose]: leave,
  }
}

/** Longer than a follower sleeps, with a commit that would wake it. */
async function nobodyLooks(world: World): Promise<void> {
  // A read that has already started may finish.
  do await sleep(10)
  while (world.watch.underWay > 0)
  const looks = () => world.watch.committed.flat().filter((sql) => /select .* "life_event"/.test(sql)).length
  const before = looks()
  await world.agent()
  await sleep(700)
  expect(looks()).toBe(before)
}
