import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { findHome } from '../../src/daemon/home.ts'
import { HookedClient } from '../hooked-client.ts'
import { User } from '../holdfast.ts'

vi.setConfig({ testTimeout: 600_000 })

const SESSIONS = 10_000
/** `npm run torture -- long-run` writes ten times as many. */
const ENTRIES = Number(process.env['HOLDFAST_ENTRIES'] ?? 100_000)
const ABANDONED = '2020-01-01T00:00:00.000Z'

/** The traces of years of crashed clients, written while no daemon runs. */
function fill(user: User): void {
  const db = new DatabaseSync(findHome(user.env).database)
  const numbers = (end: number) =>
    `with recursive number(n) as (select 1 union all select n + 1 from number where n < ${end})`
  db.exec(`begin;
    ${numbers(SESSIONS)} insert into sessions (task_id, effort_id, native_id, client, last_heartbeat, created_at)
      select e.task_id, e.id, 'old-' || n, 'claude-code', '${ABANDONED}', '${ABANDONED}'
      from number, (select id, task_id from efforts order by id limit 1) e;
    ${numbers(ENTRIES)} insert into life_event (id, timestamp, skill, event_type)
      select 'old-' || n, '${ABANDONED}', 'do', 'message.appended' from number;
    commit`)
  db.close()
}

test(`${SESSIONS} stale sessions and ${ENTRIES} entries: everything works as before`, async () => {
  await using user = new User()
  await user.wire()
  await user.json(['project', 'upsert', '.'])
  await user.json(['task', 'upsert', user.project])
  await user.json(['session', 'start', user.project])
  await user.json(['daemon', 'stop'])
  fill(user)

  await user.json(['daemon', 'start'])
  const goodbyes = async () => {
    const rows = await user.json<{ how: string; n: number }[]>([
      'query',
      `select coalesce(ended_reason, 'open') as how, count(*) as n from sessions
        where native_id like 'old-%' group by 1`,
    ])
    return Object.fromEntries(rows.map(({ how, n }) => [how, n]))
  }
  const client = new HookedClient(user, 'fresh')
  expect(await client.fire('SessionStart', { source: 'startup' })).toMatchObject({ failures: [] })
  expect(await client.use('Read', { file_path: '/etc/hosts' })).toMatchObject({ failures: [], refusals: [] })
  await client.fire('SessionEnd', { reason: 'other' })
  const newest = await user.json<{ seq: number }[]>(['ledger', '--limit', '5'])
  expect(newest).toHaveLength(5)
  expect(newest.at(-1)?.seq).toBeGreaterThan(ENTRIES)
  for (const words of [['status'], ['fleet'], ['recap']]) expect((await user.run(words)).code).toBe(0)
  // Each new session ends a hundred of them.
  expect(await goodbyes()).toEqual({ open: SESSIONS - 100, orphaned: 100 })
  await new HookedClient(user, 'fresher').fire('SessionStart', { source: 'startup' })
  expect(await goodbyes()).toEqual({ open: SESSIONS - 200, orphaned: 200 })
  const [fresh] = await user.json<{ ended_at: string | null }[]>([
    'query',
    `select ended_at from sessions where native_id = 'fresh'`,
  ])
  expect(fresh?.ended_at).not.toBeNull()
  // The daemon marks the other stale sessions itself, twice a minute.
  const marked = () => user.json<object[]>(['ledger', '--type', 'session.stale', '--limit', '1'])
  while ((await marked()).length === 0) await sleep(1000)
})
