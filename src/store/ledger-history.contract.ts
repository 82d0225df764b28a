import { describe, expect, test } from 'vitest'
import { insert, migrated } from './constraints.contract.ts'
import { clock, closing, TASK, withTask, type Open } from './open.contract.ts'
import { migrations } from './migrations/index.ts'
import type { Tx } from './query.ts'
import { migrate } from './store.ts'

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`
const run = (tx: Tx, sql: string) => tx.execute<Record<string, unknown>>({ sql, parameters: [] })

/** What the ledger promises about entries that exist. */
export function ledgerHistoryContract(open: Open): void {
  describe('an entry of the ledger', () => {
    test.each([
      ['be changed', `update life_event set payload = ''`],
      ['be moved', 'update life_event set seq = seq + 100'],
      ['be deleted', 'delete from life_event'],
    ])('can never %s', async (_, statement) => {
      await using it = await migrated(open)
      await it.store.transact((tx) => insert(tx, 'life_event', { id: 'kept', skill: 's', payload: '{}' }))
      await expect(it.store.transact((tx) => run(tx, statement))).rejects.toThrow(/append-only/i)
      const rows = await it.store.transact((tx) => run(tx, 'select id, skill, payload from life_event'))
      expect(rows).toEqual([{ id: 'kept', skill: 's', payload: '{}' }])
    })

    test('can never be replaced, not even without an UPDATE or a DELETE', async () => {
      await using it = await migrated(open)
      await it.store.transact((tx) => insert(tx, 'life_event', { id: 'kept', skill: 's' }))
      const replace = {
        sqlite: [
          `insert or replace into life_event (id, skill) values ('kept', 'other')`,
          `insert or replace into life_event (seq, id, skill) values (1, 'new', 'other')`,
        ],
        postgres: ['truncate life_event', 'truncate life_event cascade'],
      }[it.store.database.kind]
      for (const statement of replace)
        await expect(it.store.transact((tx) => run(tx, statement))).rejects.toThrow(/append-only/i)
      const rows = await it.store.transact((tx) => run(tx, 'select id, skill from life_event'))
      expect(rows).toEqual([{ id: 'kept', skill: 's' }])
    })
  })

  describe('an old entry of the ledger', () => {
    test('gets both ids of its session and the owner of its effort, where the past tells them', async () => {
      await using it = await closing(await open())
      await migrate(it.database, { clock }, UNTIL_LEDGER_SESSIONS)
      await it.database.transact(furnish)
      await migrate(it.database, { clock })
      const rows = await it.database.transact((tx) =>
        run(tx, 'select id, session_id, window_id, agent_id from life_event order by seq'),
      )
      const told = rows.map((row) => [row['id'], row['session_id'], row['window_id'], row['agent_id']])
      expect(told).toEqual(EXPECTED)
    })
  })

  test('an open effort of an older version belongs to the session that began it last', async () => {
    await using it = await closing(await open())
    await migrate(it.database, { clock }, UNTIL_LEDGER_SESSIONS)
    await it.database.transact(furnish)
    await migrate(it.database, { clock })
    const rows = await it.database.transact((tx) =>
      run(tx, 'select id, last_session_id from efforts where ordinal > 0 order by id'),
    )
    expect(rows).toEqual([
      { id: 21, last_session_id: 11 },
      { id: 22, last_session_id: 11 },
    ])
  })

  test('an older daemon on the same database can still write, and its sessions get both ids', async () => {
    await using it = await withTask(open)
    // Only PostgreSQL has several daemons; the file has one at a time.
    const isShared = it.store.database.kind === 'postgres'
    const told = await it.store.transact(async (tx) => {
      await furnishSessions(tx)
      for (const [id, session] of OLDER)
        await run(tx, `insert into life_event (id, skill, session_id) values ('${id}', 's', '${session}')`)
      return await run(tx, 'select session_id, window_id from life_event order by seq')
    })
    expect(told).toEqual([
      { session_id: isShared ? 'one' : '11', window_id: isShared ? 11 : null },
      { session_id: isShared ? '' : '13', window_id: isShared ? 13 : null },
      { session_id: '99', window_id: null },
      { session_id: '', window_id: null },
    ])
  })
}

const OLDER = [
  ['known', '11'],
  ['without a client', '13'],
  ['unknown', '99'],
  ['none', ''],
] as const

const UNTIL_LEDGER_SESSIONS = migrations.slice(
  0,
  migrations.findIndex(([name]) => name === '0015_ledger_sessions'),
)

async function furnishSessions(tx: Tx): Promise<void> {
  await run(
    tx,
    `insert into efforts (id, task_id, skill, ordinal) values (21, '${TASK}', 's', 21), (22, '${TASK}', 's', 22)`,
  )
  const windows = [
    [11, `'one'`, at(1), `'${at(5)}', 'continued'`],
    [12, `'one'`, at(5), `null, null`],
    [13, 'null', at(1), `null, null`],
  ] as const
  for (const [id, native, begun, end] of windows)
    await run(
      tx,
      `insert into sessions (id, task_id, effort_id, native_id, created_at, ended_at, ended_reason)
        values (${id}, '${TASK}', 21, ${native}, '${begun}', ${end})`,
    )
}

async function furnish(tx: Tx): Promise<void> {
  await run(tx, `insert into projects (id, path) values (1, '/p')`)
  await run(tx, `insert into tasks (dir_path, project_id) values ('${TASK}', 1)`)
  await furnishSessions(tx)
  for (const [id, type, session, effort, second, agent] of PAST)
    await run(
      tx,
      `insert into life_event (id, skill, event_type, session_id, effort_id, timestamp, agent_id)
        values ('${id}', 's', '${type}', '${session}', ${effort}, '${at(second)}', ${agent ?? 'null'})`,
    )
}

/** The id, type, session as it was stored, effort, second and agent of old entries. */
const PAST = [
  ['before', 'effort.started', '', 21, 0],
  ['start', 'session.started', '11', 21, 1],
  ['phase', 'phase.entered', '', 21, 2],
  ['claim', 'agent.claimed', '', 21, 2, `'a'`],
  ['refused', 'agent.refused', '', 21, 2, `'b'`],
  ['owned', 'phase.entered', '', 21, 2],
  ['other effort', 'phase.entered', '', 22, 2],
  ['switch', 'session.switched', '11', 22, 3],
  ['left', 'phase.entered', '', 21, 3],
  ['now served', 'phase.entered', '', 22, 3],
  ['release', 'agent.released', '', 21, 3, `'a'`],
  ['free', 'phase.entered', '', 21, 3],
  ['native', 'step.visited', 'one', 22, 2],
  ['native of both', 'step.visited', 'one', 22, 5],
  ['native of none', 'step.visited', 'two', 22, 2],
  ['end', 'session.ended', '11', 22, 5],
  ['after', 'phase.entered', '', 22, 6],
  ['no client', 'message.appended', '13', 21, 6],
  ['lost', 'message.appended', '99', 'null', 6],
  ['huge', 'message.appended', '99999999999999999999', 'null', 6],
  ['nothing', 'task.created', '', 'null', 6],
] as const

const EXPECTED = [
  ['before', '', null, null],
  ['start', 'one', 11, null],
  ['phase', 'one', 11, null],
  ['claim', 'one', 11, 'a'],
  ['refused', '', null, 'b'],
  ['owned', 'one', 11, 'a'],
  ['other effort', '', null, null],
  ['switch', 'one', 11, null],
  ['left', '', null, 'a'],
  ['now served', 'one', 11, null],
  ['release', '', null, 'a'],
  ['free', '', null, null],
  ['native', 'one', 11, null],
  ['native of both', 'one', null, null],
  ['native of none', 'two', null, null],
  ['end', 'one', 11, null],
  ['after', '', null, null],
  ['no client', '', 13, null],
  ['lost', '', 99, null],
  ['huge', '99999999999999999999', null, null],
  ['nothing', '', null, null],
]
