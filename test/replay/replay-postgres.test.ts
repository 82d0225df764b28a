import { expect, test } from 'vitest'
import { temporaryPostgres } from '../../src/store/open.contract.ts'
import { replayed } from './replay.ts'

test('400 events on PostgreSQL lead to the result of a simple fold', async () => {
  expect(await replayed({ seed: 2, events: 400, open: temporaryPostgres })).toBeUndefined()
})
