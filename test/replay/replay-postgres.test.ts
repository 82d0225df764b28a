import { expect, test } from 'vitest'
import { temporaryPostgres } from '../../src/store/open.contract.ts'
import { replayed } from './replay.ts'

/** `npm run torture -- replay` sends more. */
const EVENTS = Number(process.env['HOLDFAST_EVENTS'] ?? 400)

test(`${EVENTS} events on PostgreSQL lead to the result of a simple fold`, async () => {
  expect(await replayed({ seed: 2, events: EVENTS, open: temporaryPostgres })).toBeUndefined()
})
