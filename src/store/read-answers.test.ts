import { expect, test } from 'vitest'
import { temporarySqlite } from './open.contract.ts'
import type { Statement, Tx } from './query.ts'
import { ReadAnswers } from './read-answers.ts'

const ask = (parameters: readonly unknown[], name: string | undefined = 'one'): Statement<unknown> => ({
  sql: 'select 1',
  parameters,
  ...(name !== undefined && { name }),
})

test('an answer is known for the same question until something changes', () => {
  const answers = new ReadAnswers()
  answers.asOf(1)
  answers.keep(ask([1, null]), [{ n: 1 }])
  expect(answers.of(ask([1, null]))).toEqual([{ n: 1 }])
  for (const other of [ask(['1', null]), ask([1, '']), ask([1]), ask([1, null], 'two')])
    expect(answers.of(other)).toBeUndefined()
  answers.asOf(1)
  expect(answers.of(ask([1, null]))).toBeDefined()
  answers.asOf(2)
  expect(answers.of(ask([1, null]))).toBeUndefined()
})

test('no answer is kept of a change, of a text that may change, and of a long list', () => {
  const answers = new ReadAnswers()
  const kept = (statement: Statement<unknown>, rows: readonly unknown[]) => {
    answers.keep(statement, rows)
    return answers.of(statement)
  }
  expect(kept({ ...ask([]), sql: 'insert into a values (1) returning *' }, [1])).toBeUndefined()
  expect(kept({ sql: 'select 1', parameters: [] }, [1])).toBeUndefined()
  expect(kept(ask([]), Array.from({ length: 1000 }))).toBeUndefined()
  expect(kept(ask(['x'.repeat(10_000)]), [1])).toBeUndefined()
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
