import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { queryOf, type Tx } from './query.ts'
import type { Opened } from './open.contract.ts'
import { openStore, type Store } from './store.ts'

/** The columns that the seeds name; `?` may be null, `#` is whole, `%` has a fraction, `@` is bytes, the rest text. */
const SEEDED: Readonly<Record<string, string>> = {
  projects: 'id# path name? created_at level?',
  skills:
    'id# project_id# name phases? modes? templates? cmd_dependencies? next_skills? directives? updated_at',
  tasks: 'dir_path project_id# workspace? title? description? keywords? created_at',
  efforts: `id# task_id skill mode? ordinal# lifecycle current_phase? discovered_directives?
    discovered_directories? metadata? created_at finished_at?`,
  sessions: `id# task_id effort_id# prev_session_id#? pid#? heartbeat_counter# last_heartbeat? context_usage%?
    loaded_files? dehydration_payload? created_at ended_at?`,
  phase_history: 'id# effort_id# phase_label proof? created_at',
  messages: 'id# session_id# role content tool_name? timestamp',
  agents: 'id label? claims? effort_id#?',
  embeddings: 'id# source_type source_path chunk_text? embedding@? updated_at',
  skill_span: `span_id skill parent_span_id? status first_step? last_step? steps started_at suspended_at?
    completed_at? session_id?`,
  life_event: 'id timestamp skill phase event_type session_id payload',
}

/** What we have added to them, and the tables that are ours alone. */
const ADDED: Readonly<Record<string, string>> = {
  projects: 'session_gate#',
  skills: 'kind? scope? file? folder? digest? description? plan? details? diagnostics?',
  tasks: 'last_ordinal#',
  efforts: 'agent_id?',
  sessions: `native_id? client? agent_id? transcript_path? transcript_offset# transcript_at? ended_reason? open_calls?
    context_told# stale_at? told_directives?`,
  messages: 'native_id?',
  agents: 'registered_at',
  skill_span: 'effort_id#?',
  life_event: 'seq# effort_id#? project_id#? agent_id?',
  artifacts: 'id# effort_id#? span_id? step? name path? evidence? created_at rank digest?',
  evidence_runs: 'token effort_id# name command covers digest? started_at',
  step_visits: 'id# effort_id# step attempts# started_at completed_at? outcome?',
  continuations: `id# project_id# effort_id#? position# skill args? context? status result? on_error? created_at
    updated_at`,
  plan_state: 'effort_id# name value updated_at',
  dehydrations: 'effort_id# author session_id#? payload cut? created_at',
  delegations: 'session_id call_id skill effort_id#? steps agent_id? stopped? outcome? created_at ended_at?',
  approvals: 'id# effort_id# kind subject reason created_at used_at?',
  skill_runs: 'id# project_id# effort_id#? span_id? skill args name created_at made_at?',
  queue: 'id# project_id# effort_id#? kind content resolution? created_at resolved_at?',
  workers: `id project_id# agent_id? task_id? worktree? branch? pane? pid#? status attempts# created_at
    ended_at?`,
  leases: 'name holder fence# expires_at',
  idempotency_keys: 'key method digest intent? result? created_at',
  settings: 'name value',
  migrations: 'version# name applied_at',
}

const VIEWS: Readonly<Record<string, string>> = {
  fleet_status: `agent context_usage current_phase effort_id heartbeat_counter label last_heartbeat ordinal
    project_id session_id skill task_id`,
  task_summary: `active_count created_at description dir_path effort_count keywords last_activity last_ordinal
    latest_skill project_id title workspace`,
  active_efforts: `agent_id created_at current_phase discovered_directives discovered_directories finished_at id
    lifecycle metadata mode ordinal project_id skill skill_name task_id`,
  stale_sessions: `agent_id client context_told context_usage created_at dehydration_payload effort_id ended_at ended_reason
    heartbeat_counter id last_heartbeat loaded_files native_id open_calls pid prev_session_id stale_at task_dir task_id told_directives
    transcript_at transcript_offset
    transcript_path`,
}

/** The seeds' three come first. */
const INDEXES = [
  'idx_efforts_task_lifecycle: task_id lifecycle',
  'idx_messages_session_ts: session_id timestamp',
  'idx_sessions_effort_ended: effort_id ended_at',
  'idx_approvals_effort: effort_id',
  'idx_artifacts_effort: effort_id name',
  'idx_artifacts_rank: effort_id name rank',
  'idx_continuations_project: project_id status position',
  'idx_delegations_open: session_id',
  'idx_embeddings_source: source_type source_path',
  'idx_idempotency_created: created_at',
  'idx_life_event_effort: effort_id seq',
  'idx_phase_history_effort: effort_id id',
  'idx_queue_project: project_id resolved_at',
  'idx_sessions_agent: agent_id ended_at',
  'idx_sessions_native: native_id ended_at',
  'idx_sessions_open_native: native_id',
  'idx_sessions_task: task_id',
  'idx_sessions_unmarked: last_heartbeat',
  'idx_skill_runs_effort: effort_id',
  'idx_skill_runs_span: span_id',
  'idx_skill_span_effort: effort_id',
  'idx_skill_span_session: session_id status',
  'idx_skills_folder: project_id folder',
  'idx_tasks_project: project_id',
]

const LONG_AGO = '2020-01-01T00:00:00.000Z'
const MILLISECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** What the tables, the views and the indexes must be on any database. */
export function schemaContract(open: () => Promise<Opened>): void {
  describe('the schema', () => {
    test('has the tables of the seeds and ours, with these columns and no others', async () => {
      await using it = await migrated(open)
      const expected = new Map<string, string[]>()
      for (const [table, columns] of [...Object.entries(SEEDED), ...Object.entries(ADDED)])
        expected.set(table, sorted([...(expected.get(table) ?? []), ...columns.split(/\s+/)]))
      expect(await columnsOf(it.store, 'table')).toEqual(Object.fromEntries(expected))
    })

    test('has the four views', async () => {
      await using it = await migrated(open)
      const found = await columnsOf(it.store, 'view')
      const names = Object.entries(found).map(([view, columns]) => [
        view,
        columns.map((column) => column.replace(/\W.*$/, '')).join(' '),
      ])
      const expected = Object.entries(VIEWS).map(([view, columns]) => [view, columns.split(/\s+/).join(' ')])
      expect(Object.fromEntries(names)).toEqual(Object.fromEntries(expected))
    })

    test('has the three indexes of the seeds and ours', async () => {
      await using it = await migrated(open)
      expect(sorted(await indexesOf(it.store))).toEqual(sorted(INDEXES))
    })

    test('gives times in UTC with milliseconds where none is given', async () => {
      await using it = await migrated(open)
      const before = new Date().toISOString()
      const times = await it.store.transact(async (tx) => {
        await insert(tx, 'projects', { path: '/p' })
        await insert(tx, 'life_event', { id: 'a', skill: '' })
        const [project] = await queryOf(tx, (db) => db.selectFrom('projects').select('created_at'))
        const [entry] = await queryOf(tx, (db) => db.selectFrom('life_event').select('timestamp'))
        return [project?.created_at, entry?.timestamp]
      })
      const after = new Date().toISOString()
      for (const time of times) {
        expect(time).toMatch(MILLISECONDS)
        expect(sorted([after, String(time), before])).toEqual([before, time, after])
      }
    })
  })

  constraints(open)
  views(open)
}

function constraints(open: () => Promise<Opened>): void {
  describe('the constraints', () => {
    let it: Awaited<ReturnType<typeof migrated>>
    beforeAll(async () => {
      it = await migrated(open)
    })
    afterAll(() => it[Symbol.asyncDispose]())

    test.each<[string, keyof typeof ROWS, object]>([
      ['an effort is active or finished', 'efforts', { lifecycle: 'paused' }],
      ['a finished effort says when', 'efforts', { lifecycle: 'finished' }],
      ['an active effort has no end', 'efforts', { finished_at: LONG_AGO }],
      ['an ordinal is given once in a task', 'efforts', { ordinal: 1 }],
      ['an effort belongs to a task', 'efforts', { task_id: '/nowhere' }],
      ['an effort has a skill', 'efforts', { skill: null }],
      ['an ended session says why', 'sessions', { ended_at: LONG_AGO }],
      ['an open session has no reason to have ended', 'sessions', { ended_reason: 'finished' }],
      ['a session serves an effort', 'sessions', { effort_id: 999 }],
      ['a session has an effort', 'sessions', { effort_id: null }],
      ['a session goes on from a session', 'sessions', { prev_session_id: 999 }],
      ['an open window is known once', 'sessions', { native_id: 'window' }],
      ['a message has a role that we know', 'messages', { role: 'robot' }],
      ['a message belongs to a session', 'messages', { session_id: 999 }],
      ['two agents never own one effort', 'agents', { effort_id: E }],
      ['an agent owns an effort that exists', 'agents', { effort_id: 999 }],
      ['an approval has a reason', 'approvals', { reason: '' }],
      ['a task belongs to a project', 'tasks', { project_id: 999 }],
      ['a project has a path of its own', 'projects', { path: '/p' }],
      ['a skill is known once in a project', 'skills', { name: 'known' }],
      ['a span has a status that we know', 'skill_span', { status: 'sleeping' }],
      ['a child span has a parent', 'skill_span', { parent_span_id: 'nobody' }],
      ['an artifact belongs to an effort or a span', 'artifacts', { effort_id: null }],
      ['a step is counted once in an effort', 'step_visits', { step: 'known' }],
      ['a continuation has a status that we know', 'continuations', { status: 'lost' }],
      ['a worker has a status that we know', 'workers', { status: 'tired' }],
      ['an entry of the ledger has an id of its own', 'life_event', { id: 'known' }],
      ['a key is used once', 'idempotency_keys', { key: 'known' }],
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

    test('deleting a task takes along all that is part of it, and frees its agents', async () => {
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
const [P, E, S] = [1001, 1002, 1003]

/** A row of each table that may stand beside what `fill` has put there. */
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

/** What must differ for a second row to be allowed, so that only what is tested is wrong. */
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

function views(open: () => Promise<Opened>): void {
  const world = async () => {
    const it = await migrated(open)
    const view = (name: string) =>
      it.store.transact((tx) => tx.execute<object>({ sql: `select * from ${name}`, parameters: [] }))
    await it.store.transact(async (tx) => {
      await insert(tx, 'projects', { path: '/p' })
      await insert(tx, 'projects', { path: '/q' })
      await insert(tx, 'tasks', { dir_path: '/p/t', project_id: 1 })
      await insert(tx, 'tasks', { dir_path: '/p/idle', project_id: 1 })
      await insert(tx, 'efforts', { task_id: '/p/t', skill: 'do', ordinal: 0 })
    })
    return { ...it, view, add: it.store.transact.bind(it.store) }
  }

  describe('the views', () => {
    test('the latest skill of a task is the one of its highest ordinal, not the last in the alphabet', async () => {
      await using it = await world()
      await it.add(async (tx) => {
        await insert(tx, 'efforts', { task_id: '/p/t', skill: 'write', ordinal: 1 })
        const ended = { lifecycle: 'finished', finished_at: LONG_AGO }
        await insert(tx, 'efforts', { task_id: '/p/t', skill: 'analyze', ordinal: 2, ...ended })
      })
      expect(await it.view('task_summary order by dir_path')).toMatchObject([
        { dir_path: '/p/idle', effort_count: 0, active_count: 0, latest_skill: null, last_activity: null },
        { dir_path: '/p/t', effort_count: 2, active_count: 1, latest_skill: 'analyze' },
      ])
    })

    test('the ad-hoc effort makes a task neither active nor worked on', async () => {
      await using it = await world()
      expect(await it.view(`task_summary where dir_path = '/p/t'`)).toMatchObject([
        { effort_count: 0, active_count: 0, latest_skill: null },
      ])
      expect(await it.view('active_efforts')).toEqual([])
    })

    test('an active effort is listed once although two projects know its skill', async () => {
      await using it = await world()
      await it.add(async (tx) => {
        await insert(tx, 'skills', { project_id: 1, name: 'brainstorm' })
        await insert(tx, 'skills', { project_id: 2, name: 'brainstorm' })
        await insert(tx, 'skills', { project_id: 2, name: 'elsewhere' })
        await insert(tx, 'efforts', { task_id: '/p/t', skill: 'brainstorm', ordinal: 1 })
        await insert(tx, 'efforts', { task_id: '/p/t', skill: 'elsewhere', ordinal: 2 })
        const ended = { lifecycle: 'finished', finished_at: LONG_AGO }
        await insert(tx, 'efforts', { task_id: '/p/t', skill: 'brainstorm', ordinal: 3, ...ended })
      })
      expect(await it.view('active_efforts order by ordinal')).toMatchObject([
        { ordinal: 1, project_id: 1, skill_name: 'brainstorm' },
        { ordinal: 2, project_id: 1, skill_name: null },
      ])
    })

    test('an agent whose effort has two open sessions is listed once, with the newest', async () => {
      await using it = await world()
      await it.add(async (tx) => {
        await insert(tx, 'efforts', { task_id: '/p/t', skill: 'brainstorm', ordinal: 1 })
        await insert(tx, 'agents', { id: 'fox', label: 'Fox', effort_id: 2 })
        await insert(tx, 'agents', { id: 'owl' })
        for (const heartbeat_counter of [1, 2])
          await insert(tx, 'sessions', { task_id: '/p/t', effort_id: 2, heartbeat_counter })
        const ended = { ended_at: LONG_AGO, ended_reason: 'finished' }
        await insert(tx, 'sessions', { task_id: '/p/t', effort_id: 2, heartbeat_counter: 3, ...ended })
      })
      expect(await it.view('fleet_status')).toMatchObject([
        {
          agent: 'fox',
          label: 'Fox',
          skill: 'brainstorm',
          project_id: 1,
          session_id: 2,
          heartbeat_counter: 2,
        },
      ])
    })

    test('how long a session must be silent to be stale is a setting', async () => {
      await using it = await world()
      const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
      await it.add(async (tx) => {
        const session = { task_id: '/p/t', effort_id: 1 }
        await insert(tx, 'sessions', { ...session, last_heartbeat: minutesAgo(4) })
        await insert(tx, 'sessions', { ...session, last_heartbeat: minutesAgo(6) })
        await insert(tx, 'sessions', { ...session, created_at: minutesAgo(6) })
        const ended = { ended_at: LONG_AGO, ended_reason: 'finished' }
        await insert(tx, 'sessions', { ...session, ...ended, last_heartbeat: LONG_AGO })
      })
      const stale = async () => (await it.view('stale_sessions order by id')) as { id: number }[]
      expect(await stale()).toMatchObject([
        { id: 2, task_dir: '/p/t' },
        { id: 3, task_dir: '/p/t' },
      ])
      const setting = (value: string) =>
        it.add((tx) =>
          queryOf(tx, (db) =>
            db.updateTable('settings').set({ value }).where('name', '=', 'stale_after_seconds'),
          ),
        )
      await setting('200')
      expect((await stale()).map(({ id }) => id)).toEqual([1, 2, 3])
      await setting('3600')
      expect(await stale()).toEqual([])
    })
  })
}

async function migrated(open: () => Promise<Opened>): Promise<{ readonly store: Store } & AsyncDisposable> {
  const opened = await open()
  const store = await openStore(opened.database, { clock: { now: () => Date.now() } })
  return {
    store,
    async [Symbol.asyncDispose]() {
      await store.close()
      await opened.dispose()
    },
  }
}

/** Rows that the types would not allow are what a constraint is for. */
async function insert(tx: Tx, table: keyof typeof ROWS | 'settings', row: object): Promise<void> {
  await queryOf(tx, (db) => db.insertInto(table).values(row as never))
}

const sorted = (texts: readonly string[]) => texts.toSorted((a, b) => (a < b ? -1 : 1))

interface Column {
  readonly owner: string
  readonly name: string
  readonly type: string
  readonly nullable: number
}

const COLUMNS = {
  sqlite: `select m.name as owner, c.name, lower(c.type) as type, (c."notnull" = 0 and c.pk = 0) as nullable
    from sqlite_master m, pragma_table_info(m.name) c where m.type = '$' and m.name not like 'sqlite_%'`,
  postgres: `select c.table_name as owner, c.column_name as name, c.data_type as type,
      (c.is_nullable = 'YES')::int as nullable
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = case '$' when 'table' then 'BASE TABLE' else 'VIEW' end`,
}

const MARKS: Readonly<Record<string, string>> = {
  integer: '#',
  bigint: '#',
  real: '%',
  'double precision': '%',
  blob: '@',
  bytea: '@',
  text: '',
}

async function columnsOf(store: Store, kind: 'table' | 'view'): Promise<Record<string, string[]>> {
  const rows = await store.transact((tx) =>
    tx.execute<Column>({ sql: COLUMNS[tx.kind].replace('$', kind), parameters: [] }),
  )
  const found = new Map<string, string[]>()
  for (const { owner, name, type, nullable } of rows) {
    const column = `${name}${MARKS[type] ?? `(${type})`}${nullable === 1 ? '?' : ''}`
    found.set(owner, sorted([...(found.get(owner) ?? []), column]))
  }
  return Object.fromEntries(found)
}

const INDEX_COLUMNS = {
  sqlite: `select m.name as owner, c.name from sqlite_master m, pragma_index_info(m.name) c
    where m.type = 'index' and m.name not like 'sqlite_%' order by m.name, c.seqno`,
  postgres: `select i.relname as owner, a.attname as name
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_attribute a on a.attrelid = i.oid
    where i.relnamespace = 'public'::regnamespace and i.relname like 'idx\\_%' order by i.relname, a.attnum`,
}

async function indexesOf(store: Store): Promise<string[]> {
  const rows = await store.transact((tx) =>
    tx.execute<{ owner: string; name: string }>({ sql: INDEX_COLUMNS[tx.kind], parameters: [] }),
  )
  const found = new Map<string, string>()
  for (const { owner, name } of rows) found.set(owner, `${found.get(owner) ?? `${owner}:`} ${name}`)
  return [...found.values()]
}
