import { expect, test } from 'vitest'
import { DatabaseSync } from 'node:sqlite'
import { openSqlite } from '../../store/sqlite.ts'
import { openStore } from '../../store/store.ts'
import { homeWithDatabase } from '../backup-home.contract.ts'
import { clock } from '../clock.ts'
import { pruneOldMessages } from './prune-messages.ts'

const OLD = `
  insert into sessions (id, task_id, effort_id, ended_at, ended_reason)
    values (1, '/t', 1, '2020-01-01T00:00:00.000Z', 'completed') on conflict do nothing;
  insert into efforts (id, task_id, skill, ordinal) values (1, '/t', 's', 0) on conflict do nothing;
  insert into messages (session_id, role, content) values (1, 'tool', 'x')`

test('old messages go soon after a start, however short the life of a daemon, and then every hour', async () => {
  const home = await homeWithDatabase()
  const store = await openStore(openSqlite(home.database), { clock })
  using other = new DatabaseSync(home.database, { enableForeignKeyConstraints: false })
  const job = { home, store, log: { write: () => undefined, close: () => undefined } }
  expect(pruneOldMessages.every(job)).toBeLessThanOrEqual(60_000)
  const run = pruneOldMessages.begin(job)
  const left = []
  for (let time = 0; time < 2; time++) {
    other.exec(OLD)
    await run(new AbortController().signal)
    left.push(other.prepare('select count(*) as n from messages').get()?.['n'])
  }
  expect(left).toEqual([0, 1])
  await store.close()
})

test('with keep_days off nothing is ever pruned', async () => {
  const home = await homeWithDatabase({ HOLDFAST_KEEP_DAYS: 'off' })
  const store = await openStore(openSqlite(home.database), { clock })
  const log = { write: () => undefined, close: () => undefined }
  expect(pruneOldMessages.every({ home, store, log })).toBeUndefined()
  await store.close()
})
