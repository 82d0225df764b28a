import { describe, expect, test } from 'vitest'
import { type Migration, migrations } from './migrations/index.ts'
import { fillAll } from './constraints.contract.ts'
import { migrate, openStore } from './store.ts'
import { addTask, clock, closing, dump, type Open } from './open.contract.ts'

/** What migrations promise, on any database. */
export function migrationContract(open: Open): void {
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
    test('migrates an empty database to the newest version once, even if two start together', async () => {
      await using it = await closing(await open())
      const other = it.closes(await it.again())
      await Promise.all([migrate(it.database, { clock }), migrate(other, { clock })])
      const expected = migrations.map(([name], index) => ({ version: index + 1, name }))
      expect(await it.look(versions)).toMatchObject(expected)
      const before = await dump(it)
      await migrate(it.database, { clock })
      expect(await dump(it)).toEqual(before)
    })

    test('to a newer schema keeps every row of the old one', async () => {
      await using it = await closing(await open())
      await migrate(it.database, { clock })
      await it.database.transact((tx) => addTask(tx))
      const before = await dump(it)
      await migrate(it.database, { clock }, [...migrations, ['add', addTable]])
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
        await migrate(it.database, { clock }, migrations.slice(0, version))
        await it.database.transact((tx) => fillAll(tx))
        const { migrations: _done, ...before } = await dump(it)
        expect(Object.values(before).filter((rows) => rows.length > 0).length).toBeGreaterThan(10)
        await migrate(it.database, { clock })
        expect(await dump(it)).toMatchObject(before)
      },
    )

    test('that fails in the middle leaves the old version and nothing partial', async () => {
      await using it = await closing(await open())
      await migrate(it.database, { clock })
      await it.database.transact((tx) => addTask(tx))
      const before = await dump(it)
      const list = [...migrations, ['add', addTable], ['break', breakDown]] as const
      await expect(migrate(it.database, { clock }, list)).rejects.toThrow('in the middle')
      const after = await dump(it)
      // The migration before it is separate and stays.
      expect(after['migrations']).toHaveLength(migrations.length + 1)
      expect({ ...after, added: undefined, migrations: undefined }).toEqual({
        ...before,
        added: undefined,
        migrations: undefined,
      })
      await migrate(it.database, { clock }, [...list.slice(0, -1), ['mended', { up: async () => undefined }]])
      expect(await it.look(versions)).toHaveLength(migrations.length + 2)
    })

    test('never touches a database of a newer program', async () => {
      await using it = await closing(await open())
      await migrate(it.database, { clock }, [...migrations, ['from the future', addTable]])
      await it.database.transact((tx) => addTask(tx))
      const before = await dump(it)
      await expect(openStore(await it.again(), { clock })).rejects.toMatchObject({
        code: 'newer-database',
        message: expect.stringContaining(`version ${migrations.length + 1}`),
        hint: expect.stringContaining('holdfast init'),
      })
      expect(await dump(it)).toEqual(before)
    })
  })
}
