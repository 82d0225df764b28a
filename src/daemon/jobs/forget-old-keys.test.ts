import { expect, test } from 'vitest'
import { timestamp } from '../../model/clock.ts'
import { findKey, insertKey } from '../../store/key.ts'
import { temporarySqlite } from '../../store/open.contract.ts'
import { openStore } from '../../store/store.ts'
import { clock } from '../clock.ts'
import { forgetOldKeys } from './forget-old-keys.ts'

const DAY = 24 * 3600 * 1000

test('an answer can be had again for a week', async () => {
  const opened = await temporarySqlite()
  const store = await openStore(opened.database, { clock })
  const keep = (key: string, days: number) =>
    store.transact((tx) =>
      insertKey(tx, {
        key,
        method: 'm',
        digest: 'd',
        intent: null,
        result: '1',
        now: timestamp(clock.now() - days * DAY),
      }),
    )
  await keep('six days', 6)
  await keep('eight days', 8)
  await forgetOldKeys.begin({ store })(new AbortController().signal)
  const isKept = async (key: string) =>
    (await store.transact((tx) => findKey(tx, { key }), { reads: true })) !== undefined
  expect([await isKept('six days'), await isKept('eight days')]).toEqual([true, false])
  await store.close()
  await opened.dispose()
})
