import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { failure, type Params, type World } from '../world.contract.ts'
import { bodyAt, DIAMOND } from './work-body.contract.ts'

/** What workers of a body of work may rely on, on any database. */
export function workContract(world: () => World): void {
  const at = (items: readonly Params[] = DIAMOND) => bodyAt(world(), items)

  describe('a body of work', () => {
    test('hands out its items as they open, in order, and ends with its last one', async () => {
      const it = await at()
      expect(await it.list()).toMatchObject({ shape: 'swarm', counts: { open: 2, waiting: 3 }, over: false })
      expect(await it.next()).toBe('top')
      expect(await it.states()).toMatchObject({ left: 'open', right: 'open', bottom: 'waiting' })
      expect([await it.next(), await it.next(), await it.next(), await it.next()]).toEqual([
        'left',
        'right',
        'bottom',
        'beside',
      ])
      expect(await it.list()).toMatchObject({
        lifecycle: 'finished',
        over: true,
        parked: null,
        counts: { done: 5 },
      })
      expect(await it.claim('w')).toMatchObject({ item: null, over: true })
      const effort = await world().call('db.effort.get', { effort_id: it.effort_id })
      expect(effort).toMatchObject({ lifecycle: 'finished', result: { done: 5, failed: 0, blocked: 0 } })
    })

    test('counts each try from the first, and blocks what waits for an item that failed for good', async () => {
      const it = await at()
      expect(await it.next('failed', 'no')).toBe('top')
      expect((await it.claim('w')).item).toMatchObject({ item: 'top', attempts: 2, limit: 2, reason: 'no' })
      const seq = await world().lastSeq()
      await it.report('top', 2, 'failed', 'no again')
      expect(await it.list()).toMatchObject({
        counts: { failed: 1, blocked: 3, open: 1 },
        over: false,
        parked: null,
      })
      expect((await world().since(seq)).map(({ event_type }) => event_type)).toEqual([
        'step.failed',
        'item.blocked',
      ])
      expect(await it.next()).toBe('beside')
      const body = await it.list()
      expect(body).toMatchObject({ over: true, lifecycle: 'active' })
      expect(body.parked).toBe('1 item done; item top failed (no again); 3 items blocked behind.')
      expect(body.items.find(({ item }: Params) => item === 'bottom')).toMatchObject({
        state: 'blocked',
        blocker: 'top',
      })
      expect((await world().since(seq)).at(-1)).toMatchObject({
        event_type: 'plan.parked',
        effort_id: it.effort_id,
        payload: { done: 1, failed: 1, blocked: 3, reason: body.parked },
      })
    })

    test('goes on when the user lets the item be tried once more', async () => {
      const it = await at()
      await it.next('blocked', 'which?')
      await it.next()
      expect(await it.list()).toMatchObject({ over: true, counts: { blocked: 4, done: 1 } })
      const allow = (item: string) =>
        world().call('work.allow', { effort_id: it.effort_id, item, reason: 'this one' })
      expect(await failure(allow('bottom'))).toMatchObject({
        code: 'conflict',
        hint: `holdfast work show top --effort ${it.effort_id}`,
      })
      expect(await allow('top')).toMatchObject({ over: false, counts: { open: 1, waiting: 3 } })
      expect(await failure(allow('top'))).toMatchObject({ code: 'conflict' })
      for (const item of ['top', 'left', 'right', 'bottom']) expect(await it.next()).toBe(item)
      expect(await it.list()).toMatchObject({ lifecycle: 'finished' })
    })

    test('does not end while items are open, unless somebody gives it up', async () => {
      const it = await at()
      const finish = (more: Params = {}) =>
        world().call('db.effort.finish', { effort_id: it.effort_id, ...more })
      expect(await failure(finish())).toMatchObject({
        code: 'refused',
        hint: `holdfast work list --effort ${it.effort_id}`,
      })
      expect(await finish({ abandon: 'no longer needed' })).toMatchObject({ lifecycle: 'finished' })
      expect(await it.claim('w')).toMatchObject({ item: null, over: true })
    })
  })

  describe('a worker', () => {
    test('gets the same item again until it ends it', async () => {
      const it = await at()
      const first = await it.claim('w')
      expect(await it.claim('w')).toEqual({ ...first, resumed: true })
      expect((await it.claim('v')).item.item).toBe('beside')
      expect(await it.claim('u')).toMatchObject({ item: null, over: false })
    })

    test('may repeat its report, which then moves nothing', async () => {
      const it = await at()
      await it.claim('w')
      expect(await it.report('top', 1, 'done')).toMatchObject({ state: 'done', moved: true })
      const before = await it.list()
      expect(await it.report('top', 1, 'done')).toMatchObject({ state: 'done', moved: false })
      expect(await failure(it.report('top', 1, 'failed', 'x'))).toMatchObject({
        code: 'conflict',
        field: 'fence',
      })
      expect(await it.list()).toEqual(before)
    })

    test('that is silent loses its item, and its fence then changes nothing', async () => {
      const it = await at([{ item: 'a', title: 'A', limit: 3 }])
      await it.claim('slow')
      await it.expire()
      expect((await it.claim('quick')).item).toMatchObject({
        item: 'a',
        fence: 2,
        attempts: 2,
        reason: 'Worker "slow" was not heard of in time, in try 1.',
      })
      const before = await world().everything()
      for (const outcome of ['done', 'failed', 'blocked', 'released'])
        expect(await failure(it.report('a', 1, outcome, 'late'))).toMatchObject({
          code: 'conflict',
          field: 'fence',
        })
      const renew = (fence: number) =>
        world().call('work.renew', { effort_id: it.effort_id, item: 'a', fence })
      expect(await failure(renew(1))).toMatchObject({ code: 'conflict', field: 'fence' })
      expect(await world().everything()).toEqual(before)
      expect(await renew(2)).toMatchObject({ fence: 2 })
      expect(await it.report('a', 2, 'done')).toMatchObject({ state: 'done', moved: true, over: true })
    })

    test('loses its item when its lease ends, although nothing else happened meanwhile', async () => {
      const it = await at([{ item: 'a', title: 'A' }])
      await it.claim('slow', { lease_seconds: 1 })
      for (let time = 0; time < 2; time++)
        expect(await it.claim('quick')).toMatchObject({ item: null, over: false })
      await sleep(1200)
      expect((await it.claim('quick')).item).toMatchObject({ item: 'a', attempts: 2, worker: 'quick' })
    })

    test('that is late but whose item nobody took may still end it', async () => {
      const it = await at([{ item: 'a', title: 'A' }])
      await it.claim('slow')
      await it.expire()
      expect(await it.report('a', 1, 'done')).toMatchObject({ state: 'done' })
    })

    test('repeats an error only once', async () => {
      const it = await at([{ item: 'a', title: 'A', limit: 9 }])
      await it.next('failed', 'one')
      await it.next('failed', 'other')
      await it.next('failed', 'other')
      expect(await it.list()).toMatchObject({
        over: true,
        counts: { failed: 1 },
        items: [{ attempts: 3, limit: 3 }],
      })
    })

    test('gives an item back without a try', async () => {
      const it = await at([{ item: 'a', title: 'A', limit: 1 }])
      await it.next('released', 'stopped')
      expect((await it.list()).items[0]).toMatchObject({ state: 'open', limit: 2, attempts: 1 })
    })

    test('cannot take what waits, is taken or is done', async () => {
      const it = await at()
      await it.claim('w')
      for (const item of ['bottom', 'top'])
        expect(await failure(it.claim('v', { item }))).toMatchObject({
          code: 'conflict',
          field: 'item',
          hint: `holdfast work ready --effort ${it.effort_id}`,
        })
      expect(await failure(it.claim('v', { item: 'none' }))).toMatchObject({
        code: 'not-found',
        field: 'item',
      })
    })
  })

  test('every body of work gets back what silent workers had, and ends if that was the last try', async () => {
    const bodies = [await at([{ title: 'One', limit: 1 }]), await at([{ title: 'One' }])]
    for (const it of bodies) await it.claim('w')
    await bodies[0]?.expire()
    const found = await world().call('scheduler.expire')
    expect(found).toContainEqual({ effort_id: bodies[0]?.effort_id, items: ['1'] })
    expect(await Promise.all(bodies.map((it) => it.states()))).toEqual([{ '1': 'failed' }, { '1': 'taken' }])
    expect(await bodies[0]?.list()).toMatchObject({
      over: true,
      parked: expect.stringContaining('not heard of'),
    })
    expect(await world().call('scheduler.expire')).toEqual([])
  })

  test('recovery computes every state from the visits alone', async () => {
    const it = await at([
      ...DIAMOND,
      { item: 'bad', title: 'Bad', limit: 1 },
      { title: 'Behind', blocked_by: ['bad'] },
    ])
    await it.next()
    await it.next('failed', 'no')
    await it.claim('w')
    await it.claim('v')
    const { item } = await it.claim('u', { item: 'bad' })
    await it.report('bad', item.fence, 'failed', 'no')
    const before = await it.list()
    expect(before.counts).toEqual({
      done: 1,
      taken: 2,
      open: 0,
      waiting: 1,
      failed: 1,
      blocked: 1,
      ...before.counts,
    })
    await world().store.transact((tx) =>
      tx.execute({
        sql: `update work_items set state = 'waiting', blocker = null where state <> 'taken' and effort_id = ${it.effort_id}`,
        parameters: [],
      }),
    )
    expect(await it.list()).not.toEqual(before)
    await world().call('scheduler.recover', { effort_id: it.effort_id })
    expect(await it.list()).toEqual(before)
    expect(await world().call('scheduler.recover', { effort_id: it.effort_id })).toMatchObject({
      changed: [],
      expired: [],
    })
  })

  test('workers that ask at once never get the same item, and blockers that end at once open what waited', async () => {
    const it = await at([
      ...Array.from({ length: 8 }, (_, index) => ({ item: `${index}`, title: `Item ${index}` })),
      { item: 'last', title: 'Last', blocked_by: ['0', '1', '2', '3', '4', '5', '6', '7'] },
    ])
    const claimed = await Promise.all(Array.from({ length: 8 }, (_, worker) => it.claim(`w${worker}`)))
    expect(new Set(claimed.map(({ item }) => item.item)).size).toBe(8)
    await Promise.all(claimed.map(({ item }) => it.report(item.item, item.fence, 'done')))
    expect((await it.states())['last']).toBe('open')
  })
}
