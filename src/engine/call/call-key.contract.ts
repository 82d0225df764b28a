import { describe, expect, test } from 'vitest'
import { methods, methodsByName } from '../methods/index.ts'
import { CHANGES, session } from './call-samples.contract.ts'
import { expectUnchanged, type Answer, failure, type Params, type World } from '../world.contract.ts'

/** How a key affects a call, for every method. */
export function callKeyContract(world: () => World): void {
  describe('a call with a key', () => {
    test.each(Object.keys(CHANGES))('%s gives the first answer again and happens once', async (name) => {
      const params = { ...(await CHANGES[name]?.(world())), idempotency_key: world().name('key') }
      const first = await world().call(name, params)
      const before = await world().everything()
      const daemon = await askedOfDaemon(world())
      world().advance(1000)
      expect(asSent(await world().call(name, params))).toEqual(asSent(first))
      await expectUnchanged(world(), before)
      expect(asSent(await world().call(name, shuffled(params)))).toEqual(asSent(first))
      await expectUnchanged(world(), before)
      expect(await askedOfDaemon(world())).toBe(daemon)
    })

    test.each(Object.keys(CHANGES))('%s happens once when it is sent three times at once', async (name) => {
      const alone = await CHANGES[name]?.(world())
      const single = await difference(world(), () =>
        world().call(name, { ...alone, idempotency_key: world().name('key') }),
      )
      const params = { ...(await CHANGES[name]?.(world())), idempotency_key: world().name('key') }
      const answers: Answer[] = []
      const triple = await difference(world(), async () => {
        answers.push(...(await Promise.all([1, 2, 3].map(() => world().call(name, params)))))
      })
      expect(answers.map(asSent)).toEqual([1, 2, 3].map(() => asSent(answers[0])))
      expect(triple).toEqual(single)
    })

    const isOther = (name: string) =>
      Object.keys(methodsByName.get(name)?.params.shape ?? {}).some((param) => param !== 'idempotency_key')
    const others = Object.keys(CHANGES).filter(isOther)
    test.each(others)('%s refuses a key that was used for something else', async (name) => {
      const [one, other] = [await CHANGES[name]?.(world()), await CHANGES[name]?.(world())]
      const idempotency_key = world().name('key')
      await world().call(name, { ...one, idempotency_key })
      const before = await world().everything()
      expect(await failure(world().call(name, { ...other, idempotency_key }))).toMatchObject({
        code: 'conflict',
        field: 'idempotency_key',
        message: expect.stringContaining(name),
      })
      await expectUnchanged(world(), before)
    })

    test.each(Object.keys(CHANGES))('%s refuses the key of another method', async (name) => {
      const params = await CHANGES[name]?.(world())
      const heartbeat = name === 'db.session.heartbeat'
      const [other, more] = heartbeat
        ? ['db.agents.register', { id: 'x' }]
        : ['db.session.heartbeat', undefined]
      const idempotency_key = world().name('key')
      await world().call(other, { ...(more ?? { session_id: await session(world()) }), idempotency_key })
      expect(await failure(world().call(name, { ...params, idempotency_key }))).toMatchObject({
        code: 'conflict',
      })
    })

    test('that failed may be sent again with the same key', async () => {
      const params = {
        effort_id: (await world().effort()).id,
        label: '1',
        idempotency_key: world().name('key'),
      }
      await failure(world().call('db.effort.phase', params))
      await world().call('db.effort.phase', { effort_id: params.effort_id, label: '0' })
      await failure(world().call('db.effort.phase', params))
      const proven = { ...params, proof: { mode: 'x' } }
      expect(await world().call('db.effort.phase', proven)).toMatchObject({ entered: true })
    })

    const daemons = methods.filter(({ effect }) => effect === 'daemon').map(({ name }) => name)
    test.each(daemons)('%s works even if the database does not answer', async (name) => {
      const before = await askedOfDaemon(world())
      const params = { ...(await CHANGES[name]?.(world())), idempotency_key: world().name('key') }
      world().watch.failOn = /idempotency_keys/
      await world()
        .call(name, params)
        .finally(() => (world().watch.failOn = undefined))
      expect(await askedOfDaemon(world())).toBeGreaterThan(before)
    })

    test('that was volatile is known after its state was written', async () => {
      const params = { session_id: await session(world()), idempotency_key: world().name('key') }
      const first = await world().call('db.session.heartbeat', params)
      await world().everything()
      expect(world().store.volatile.isEmpty()).toBe(true)
      expect(await world().call('db.session.heartbeat', params)).toEqual(first)
      expect(await world().call('db.session.find', { session_id: params.session_id })).toMatchObject([
        { heartbeat_counter: 1 },
      ])
    })
  })
}

/** The result as a caller receives it. */
const asSent = (answer: Answer): unknown => JSON.parse(JSON.stringify(answer ?? null))

const shuffled = (params: Params): Params => Object.fromEntries(Object.entries(params).toReversed())

/** Counts the calls of the daemon port. A stop runs after its reply. */
async function askedOfDaemon({ watch }: World): Promise<number> {
  await new Promise((resolve) => void setImmediate(resolve))
  return watch.daemon.length
}

/** How much a call changes each table, the heartbeats, its file and the daemon. */
async function difference(world: World, work: () => Promise<unknown>): Promise<unknown> {
  const count = async () => {
    const rows = await world.everything()
    const beats = (rows['sessions'] as { heartbeat_counter: unknown }[]).map((row) =>
      Number(row.heartbeat_counter),
    )
    const files = (rows['life_event'] as { event_type: string }[]).filter(
      (row) => row.event_type === 'file.appended',
    )
    return {
      ...Object.fromEntries(Object.entries(rows).map(([table, list]) => [table, list.length])),
      beats: beats.reduce((sum, beat) => sum + beat, 0),
      files: files.length,
      daemon: await askedOfDaemon(world),
    } as Record<string, number>
  }
  const before = await count()
  await work()
  const after = await count()
  return Object.fromEntries(Object.entries(after).map(([name, now]) => [name, now - (before[name] ?? 0)]))
}
