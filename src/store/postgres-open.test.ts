import { Socket } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { createDatabase, startPostgres } from '../../test/postgres.ts'
import { sharedPostgres } from '../../test/shared.ts'
import { clock, connect, temporaryPostgres } from './open.contract.ts'
import { openPostgres } from './postgres.ts'
import type { Tx } from './query.ts'
import { migrate } from './store.ts'

const server = await sharedPostgres()

describe('PostgreSQL', () => {
  test('that may lose acknowledged commits is refused', async () => {
    const url = new URL(await createDatabase(server))
    url.searchParams.set('options', '-c synchronous_commit=off')
    await expect(openPostgres(url.href)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('synchronous_commit=off'),
      hint: expect.stringContaining('synchronous_commit=on'),
    })
  })

  test('that does not sync is refused', async () => {
    const careless = await startPostgres()
    try {
      const admin = await connect(careless.url)
      await admin.query('alter system set fsync = off')
      await admin.query('select pg_reload_conf()')
      await vi.waitFor(
        async () => expect((await admin.query('show fsync')).rows).toEqual([{ fsync: 'off' }]),
        { timeout: 60_000 },
      )
      await admin.end()
      await expect(openPostgres(careless.url)).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('fsync=off'),
      })
    } finally {
      await careless.stop()
    }
  })

  test.each([
    ['that cannot be reached', 'postgres://nobody:secret@127.0.0.1:1/none', 'unavailable'],
    ['whose address is not a URL', 'engine', 'invalid'],
    ['whose URL is not of PostgreSQL', 'mysql://localhost/x', 'invalid'],
  ])('%s is a clear error', async (_, url, code) => {
    const error: unknown = await openPostgres(url).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code, hint: expect.stringContaining('HOLDFAST_DATABASE_URL') })
    expect(String(error)).not.toContain('secret')
  })

  test('limits every statement, but not those of a migration', async () => {
    const opened = await temporaryPostgres()
    const { database } = opened
    const limit = async (tx: Tx) =>
      (await tx.execute<{ statement_timeout: string }>({ sql: 'show statement_timeout', parameters: [] }))[0]
        ?.statement_timeout
    let found: string | undefined
    await migrate(database, { clock }, [['look', { up: async (tx) => void (found = await limit(tx)) }]])
    expect([found, await database.transact(limit)]).toEqual(['0', '5s'])
    await database.close()
    await opened.dispose()
  })

  test('and we both notice after a while that the other one is gone', async () => {
    const kept = vi.spyOn(Socket.prototype, 'setKeepAlive')
    const database = await openPostgres(await createDatabase(server))
    const sql = `select name, setting from pg_settings where name like 'tcp_keepalives_%' order by name`
    expect(await database.transact((tx) => tx.execute({ sql, parameters: [] }))).toEqual([
      { name: 'tcp_keepalives_count', setting: '4' },
      { name: 'tcp_keepalives_idle', setting: '10' },
      { name: 'tcp_keepalives_interval', setting: '5' },
    ])
    expect(kept).toHaveBeenCalledWith(true, 10_000)
    kept.mockRestore()
    await database.close()
  })

  test('shows its location without any secret', async () => {
    const url = new URL(await createDatabase(server))
    const { password } = url
    url.searchParams.set('password', password)
    const database = await openPostgres(url.href)
    expect(database.location).toContain('***')
    expect(database.location).not.toContain(password)
    await database.close()
  })
})
