import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { claimLease, LeaseLost } from './lease.ts'
import { closing, temporaryPostgres } from './open.contract.ts'

describe('a lease', () => {
  let opened: Awaited<ReturnType<typeof closing>>
  beforeAll(async () => {
    opened = await closing(await temporaryPostgres('schema'))
  })
  afterAll(() => opened[Symbol.asyncDispose]())

  const claim = (name: string, holder: string, patience = 60_000) =>
    claimLease(opened.database, { name, holder }, performance.now() + patience)

  /** However slow this machine is. */
  const neverExpires = (name: string) =>
    opened.look(`update leases set expires_at = '9999' where name = '${name}'`)

  test('has one holder at a time', async () => {
    const lease = await claim('one', 'a')
    await neverExpires('one')
    await expect(claim('one', 'b', 0)).rejects.toMatchObject({ code: 'timeout' })
    await opened.database.transact((tx) => lease.end(tx))
    expect((await claim('one', 'b', 0)).mark).toEqual({ holder: 'b', fence: 1 })
  })

  test('can be claimed again by a holder that missed the answer', async () => {
    await claim('answer', 'a')
    await neverExpires('answer')
    expect((await claim('answer', 'a', 0)).mark).toEqual({ holder: 'a', fence: 2 })
  })

  test('passes on when its holder died or was paused, and the old holder can tell', async () => {
    const old = await claim('paused', 'a')
    const next = await claim('paused', 'b')
    expect(next.mark).toEqual({ holder: 'b', fence: 2 })
    expect(old.check).toThrow(LeaseLost)
    await expect(opened.database.transact((tx) => old.renew(tx))).rejects.toThrow(LeaseLost)
    // The lease of another holder does not end with it.
    await old.abandon()
    await opened.database.transact((tx) => next.renew(tx))
  })

  test('is not given up by a transaction that fails', async () => {
    const lease = await claim('failed', 'a')
    await neverExpires('failed')
    const failing = opened.database.transact(async (tx) => {
      await lease.end(tx)
      throw new Error('made to fail')
    })
    await expect(failing).rejects.toThrow('made to fail')
    await expect(claim('failed', 'b', 0)).rejects.toMatchObject({ code: 'timeout' })
    await lease.abandon()
    await claim('failed', 'b', 0)
  })
})
