import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { queryOf, type Tx } from './query.ts'
import type { Open } from './open.contract.ts'
import { openStore, type Store } from './store.ts'

/** A time in the past. */
export const LONG_AGO = '2020-01-01T00:00:00.000Z'

/** What the constraints must refuse on any database. */
export function constraintsContract(open: Open): void {
  describe('the constraints', () => {
    let it: Awaited<ReturnType<typeof migrated>>
    beforeAll(async () => {
      it = await migrated(open)
    })
    afterAll(() => it[Symbol.asyncDispose]())

    test.each<[string, keyof typeof ROWS, object]>([
      ['an effort is active or finished', 'efforts', { lifecycle: 'paused' }],
      ['a finished effort has its time', 'efforts', { lifecycle: 'finished' }],
      ['an active effort has no end', 'efforts', { finished_at: LONG_AGO }],
      ['an ordinal is unique in a task', 'efforts', { ordinal: 1 }],
      ['an effort belongs to a task', 'efforts', { task_id: '/nowhere' }],
      ['an effort has a skill', 'efforts', { skill: null }],
      ['an ended session has a reason', 'sessions', { ended_at: LONG_AGO }],
      ['an open session has no end reason', 'sessions', { ended_reason: 'finished' }],
      ['a session serves an effort', 'sessions', { effort_id: 999 }],
      ['a session has an effort', 'sessions', { effort_id: null }],
      ['a session continues an existing session', 'sessions', { prev_session_id: 999 }],
      ['an open window is unique', 'sessions', { native_id: 'window' }],
      ['a message has a known role', 'messages', { role: 'robot' }],
      ['a message belongs to a session', 'messages', { session_id: 999 }],
      ['two agents never own one effort', 'agents', { effort_id: E }],
      ['an agent owns an existing effort', 'agents', { effort_id: 999 }],
      ['an approval has a reason', 'approvals', { reason: '' }],
      ['a task belongs to a project', 'tasks', { project_id: 999 }],
      ['a project has a unique path', 'projects', { path: '/p' }],
      ['a span has a known status', 'skill_span', { status: 'sleeping' }],
      ['a child span has a parent', 'skill_span', { parent_span_id: 'nobody' }],
      ['an artifact belongs to an effort or a span', 'artifacts', { effort_id: null }],
      ['a step is unique in an effort', 'step_visits', { step: 'known' }],
      ['a continuation has a known status', 'continuations', { status: 'lost' }],
      ['a worker has a known status', 'workers', { status: 'tired' }],
      ['a ledger entry has a unique id', 'life_event', { id: 'known' }],
      ['a key is unique', 'idempotency_keys', { key: 'known' }],
    ])('%s', async (_, table, wrong) => {
      let good = 0
      const attempt = it.store.transact(async (tx) => {
        await fill(tx)
        await insert(tx, table, ROWS[table])
        good++
        await insert(tx, table, { ...ROWS[table], ...unlike(table), ...wrong })
        throw new Error('The row was taken.')
      })
      await expect(attempt).rejects.toThrow(/constraint/i)
      expect(good).toBeGreaterThan(0)
    })

    test.each([
      ['a skill is unique in a workplace', 'skills', { workplace_id: W, name: 'twice' }],
      [
        'a run is unique in a workplace',
        'skill_runs',
        { workplace_id: W, skill: 's', args: '', name: 'twice' },
      ],
      ['a workplace is unique on a machine', 'workplaces', { machine_id: 'm', path: '/twice' }],
    ] as const)('%s', async (_, table, row) => {
      let good = 0
      const attempt = it.store.transact(async (tx) => {
        await fill(tx)
        for (const [id, machine_id] of [
          [W, 'm'],
          [W + 1, 'other'],
        ])
          await insert(tx, 'workplaces', { id, project_id: P, machine_id, path: '/p' })
        await insert(tx, table, { project_id: P, ...row })
        const elsewhere = table === 'workplaces' ? { machine_id: 'other' } : { workplace_id: W + 1 }
        await insert(tx, table, { project_id: P, ...row, ...elsewhere })
        good++
        await insert(tx, table, { project_id: P, ...row })
        throw new Error('The row was taken.')
      })
      await expect(attempt).rejects.toThrow(/constraint/i)
      expect(good).toBeGreaterThan(0)
    })

    test('deleting a task deletes its parts, and frees its agents', async () => {
      const left = await it.store.transact(async (tx) => {
        await fill(tx)
        await queryOf(tx, (db) => db.deleteFrom('sessions'))
        await queryOf(tx, (db) => db.deleteFrom('tasks'))
        return [
          await queryOf(tx, (db) => db.selectFrom('efforts').select('id')),
          await queryOf(tx, (db) => db.selectFrom('messages').select('id')),
          await queryOf(tx, (db) => db.selectFrom('step_visits').select('id')),
          await queryOf(tx, (db) => db.selectFrom('agents').select(['id', 'effort_id'])),
        ]
      })
      expect(left).toEqual([[], [], [], [{ id: 'owner', effort_id: null }]])
    })
  })
}

/** Ids that no counter reaches here. */
const [P, E, S, W] = [1001, 1002, 1003, 1004]

/** A valid second row for each table, next to the rows of `fill`. */
const ROWS = {
  projects: { path: '/other' },
  tasks: { dir_path: '/p/u', project_id: P },
  efforts: { task_id: '/p/t', skill: 's', ordinal: 2 },
  sessions: { task_id: '/p/t', effort_id: E },
  messages: { session_id: S, role: 'user', content: '' },
  agents: { id: 'free' },
  approvals: { effort_id: E, kind: 'phase', subject: '2', reason: 'because' },
  skills: { project_id: P, name: 'other' },
  skill_span: { span_id: 'a', skill: 's' },
  artifacts: { effort_id: E, name: 'n' },
  step_visits: { effort_id: E, step: 'other' },
  continuations: { project_id: P, position: 1, skill: 's' },
  workers: { id: 'w', project_id: P },
  life_event: { id: 'other', skill: '' },
  idempotency_keys: { key: 'other', method: 'm', digest: 'd' },
} as const

/** What must differ in a second row, so that only the tested column is wrong. */
const unlike = (table: keyof typeof ROWS): object =>
  ({
    projects: { path: '/third' },
    tasks: { dir_path: '/p/v' },
    efforts: { ordinal: 3 },
    agents: { id: 'third' },
    skills: { name: 'third' },
    skill_span: { span_id: 'b' },
    step_visits: { step: 'third' },
    workers: { id: 'x' },
    life_event: { id: 'third' },
    idempotency_keys: { key: 'third' },
  })[table as string] ?? {}

/** Rows in every table that the first version had. */
export async function fillAll(tx: Tx): Promise<void> {
  await fill(tx)
  for (const [table, row] of Object.entries(ROWS)) await insert(tx, table as keyof typeof ROWS, row)
}

async function fill(tx: Tx): Promise<void> {
  await insert(tx, 'projects', { id: P, path: '/p' })
  await insert(tx, 'tasks', { dir_path: '/p/t', project_id: P })
  await insert(tx, 'efforts', { id: E, task_id: '/p/t', skill: 's', ordinal: 1 })
  await insert(tx, 'sessions', { id: S, task_id: '/p/t', effort_id: E, native_id: 'window' })
  await insert(tx, 'messages', { session_id: S, role: 'user', content: '' })
  await insert(tx, 'agents', { id: 'owner', effort_id: E })
  await insert(tx, 'skills', { project_id: P, name: 'known' })
  await insert(tx, 'step_visits', { effort_id: E, step: 'known' })
  await insert(tx, 'life_event', { id: 'known', skill: '' })
  await insert(tx, 'idempotency_keys', { key: 'known', method: 'm', digest: 'd' })
}

/** A store on a new database. */
export async function migrated(open: Open): Promise<{ readonly store: Store } & AsyncDisposable> {
  const opened = await open('schema')
  const store = await openStore(opened.database, { clock: { now: () => Date.now() } })
  return {
    store,
    async [Symbol.asyncDispose]() {
      await store.close()
      await opened.dispose()
    },
  }
}

/** Inserts rows that the types forbid, to test the constraints. */
export async function insert(
  tx: Tx,
  table: keyof typeof ROWS | 'settings' | 'skill_runs' | 'workplaces',
  row: object,
): Promise<void> {
  await queryOf(tx, (db) => db.insertInto(table).values(row as never))
}
