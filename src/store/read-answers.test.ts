import { expect, test } from 'vitest'
import { temporarySqlite } from './open.contract.ts'
import type { Statement, Tx } from './query.ts'
import { ReadAnswers, tableChangedBy, VIEWS } from './read-answers.ts'
import { openStore } from './store.ts'

const ask = (parameters: readonly unknown[], name: string | undefined = 'one'): Statement<unknown> => ({
  sql: 'select 1',
  parameters,
  ...(name !== undefined && { name }),
})

/** Whether the rows of a question are known; if not, they are read. */
function isKnown(
  answers: ReadAnswers,
  statement: Statement<unknown>,
  rows: readonly unknown[] = [1],
): boolean {
  let known = true
  answers.to(statement, () => {
    known = false
    return rows
  })
  return known
}

test('an answer is known for the same question until something changes', () => {
  const answers = new ReadAnswers()
  answers.asOf(1)
  const read = answers.to(ask([1, null]), () => [{ n: 1 }])
  expect(answers.to(ask([1, null]), () => [])).toBe(read)
  for (const other of [ask(['1', null]), ask([1, '']), ask([1]), ask([1, null], 'two')])
    expect(isKnown(answers, other)).toBe(false)
  answers.asOf(1)
  expect(isKnown(answers, ask([1, null]))).toBe(true)
  answers.asOf(2)
  expect(isKnown(answers, ask([1, null]))).toBe(false)
})

test('no answer is kept of a change, of a text that may change, of a long list, and of a view', () => {
  const answers = new ReadAnswers()
  const kept = (statement: Statement<unknown>, rows: readonly unknown[]) => {
    isKnown(answers, statement, rows)
    return isKnown(answers, statement, rows)
  }
  expect(kept({ ...ask([]), sql: 'insert into a values (1) returning *' }, [1])).toBe(false)
  expect(kept({ sql: 'select 1', parameters: [] }, [1])).toBe(false)
  expect(kept(ask([]), Array.from({ length: 1000 }))).toBe(false)
  expect(kept(ask(['x'.repeat(10_000)]), [1])).toBe(false)
  expect(kept({ ...ask([], 'view'), sql: 'select * from "task_summary"' }, [1])).toBe(false)
})

test('a change of one table leaves what was read from others', () => {
  const answers = new ReadAnswers()
  const tasks = { sql: 'select * from "tasks" where "dir_path" = ?', parameters: ['a'], name: 'tasks' }
  const joined = { sql: 'select * from "skills" join tasks on true', parameters: [], name: 'joined' }
  const skills = { sql: 'select * from "skills"', parameters: [], name: 'skills' }
  const known = () => [tasks, joined, skills].map((one) => isKnown(answers, one))
  expect(known()).toEqual([false, false, false])
  answers.forget(tableChangedBy('update "tasks" set "title" = ?'))
  expect(known()).toEqual([false, false, true])
  answers.forget(tableChangedBy('insert into "efforts" ("id") values (?) on conflict do nothing'))
  expect(known()).toEqual([true, true, true])
  // Others may be deleted with it.
  answers.forget(tableChangedBy('delete from "efforts" where "id" = ?'))
  expect(known()).toEqual([false, false, false])
})

test('the views of the schema are known, and no change of one table changes another', async () => {
  const it = await temporarySqlite()
  const store = await openStore(it.database, { clock: { now: () => 0 } })
  const schema = await it.database.transact((tx) =>
    tx.execute<{ type: string; name: string; sql: string | null }>({
      sql: 'select type, name, sql from sqlite_master',
      parameters: [],
    }),
  )
  const of = (type: string) => schema.filter((one) => one.type === type)
  expect(new Set(of('view').map(({ name }) => name))).toEqual(VIEWS)
  expect(schema.filter(({ sql }) => /on update/i.test(sql ?? ''))).toEqual([])
  for (const { sql } of of('trigger'))
    // The words of the index are read by no statement with a name.
    expect(sql).not.toMatch(/\b(?:insert into (?!embedding_words\b)|update \w+ set|delete from)\b/i)
  await store.close()
  await it.dispose()
})

test('a transaction reads its own changes, what was rolled back, and what another process changed', async () => {
  const it = await temporarySqlite()
  const { database } = it
  const run = database.transact.bind(database)
  const change = (tx: Tx, sql: string) => tx.execute({ sql, parameters: [] })
  const sum = async (tx: Tx) =>
    (
      await tx.execute<{ n: number }>({ sql: 'select sum(n) as n from numbers', parameters: [], name: 'sum' })
    )[0]?.n
  await run((tx) => change(tx, 'create table numbers (n integer)'))
  const read = await run(async (tx) => {
    await change(tx, 'insert into numbers values (1)')
    const first = await sum(tx)
    await change(tx, 'insert into numbers values (2)')
    return [first, await sum(tx)]
  })
  expect(read).toEqual([1, 3])
  const failed = run(async (tx) => {
    await change(tx, 'insert into numbers values (10)')
    expect(await sum(tx)).toBe(13)
    throw new Error('no')
  })
  // The second run shares the transaction of the first, which is rolled back to its savepoint.
  const beside = run(sum)
  await expect(failed).rejects.toThrow('no')
  expect(await beside).toBe(3)
  await expect(
    run(async (tx) => {
      await change(tx, 'insert into numbers values (20)')
      await sum(tx)
      throw new Error('alone')
    }),
  ).rejects.toThrow('alone')
  expect(await run(sum)).toBe(3)
  const other = await it.again()
  await other.transact((tx) => change(tx, 'insert into numbers values (100)'))
  expect(await run(sum)).toBe(103)
  await Promise.all([database.close(), other.close()])
  await it.dispose()
})
