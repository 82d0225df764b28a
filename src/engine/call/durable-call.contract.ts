import { describe, expect, test } from 'vitest'
import { methods } from '../methods/index.ts'
import { expectUnchanged, failure, type World } from '../world.contract.ts'
import { CHANGES } from './call-samples.contract.ts'

/** What holds for every durable call. */
export function durableCallContract(world: () => World): void {
  describe('a durable call', () => {
    const namesOf = (...effects: readonly string[]) =>
      methods.filter(({ effect }) => effects.includes(effect)).map(({ name }) => name)
    const told = namesOf('durable', 'hook')
    const durable = [...told, ...namesOf('beat')]

    test.each(told)('%s writes to the ledger in the transaction of the change', async (name) => {
      const params = await CHANGES[name]?.(world())
      const seq = await world().lastSeq()
      await world().store.flush()
      world().watch.committed.length = 0
      await world().call(name, params)
      // Pending state of earlier calls may be written during this one.
      const isBeat = (sql: string) => sql.startsWith('update "sessions" set "heartbeat_counter" =')
      // On PostgreSQL, files that the transaction promises are written under a lease.
      const isLease = (sql: string) => sql.includes('"leases"')
      const writing = world().watch.committed.filter((statements) =>
        statements.some((sql) => /^(insert|update|delete)/.test(sql) && !isBeat(sql) && !isLease(sql)),
      )
      expect(writing).toHaveLength(1)
      expect(writing[0]?.some((sql) => sql.startsWith('insert into "life_event"'))).toBe(true)
      const [entry] = await world().since(seq)
      expect(entry?.event_type).toMatch(/^[a-z]+\.[a-z]+$/)
    })

    const tables = [
      ['the ledger', 'life_event'],
      ['its key', 'idempotency_keys'],
    ] as const
    const failures = [
      ...told.flatMap((name) => tables.map(([what, table]) => [name, what, table] as const)),
      ...namesOf('beat').map((name) => [name, 'its key', 'idempotency_keys'] as const),
    ]
    test.each(failures)('%s changes nothing when %s cannot be written', async (name, _, table) => {
      const params = await CHANGES[name]?.(world())
      const before = await world().everything()
      world().watch.failOn = new RegExp(`insert into "${table}"`)
      try {
        const work = world().call(name, { ...params, idempotency_key: world().name('key') })
        await expect(work).rejects.toThrow('made to fail')
      } finally {
        world().watch.failOn = undefined
      }
      await expectUnchanged(world(), before)
    })

    test.each(durable)('%s does not begin after its deadline', async (name) => {
      const params = await CHANGES[name]?.(world())
      const before = await world().everything()
      expect(await failure(world().call(name, params, { deadline: Date.now() - 1 }))).toMatchObject({
        code: 'timeout',
      })
      await expectUnchanged(world(), before)
    })
  })
}
