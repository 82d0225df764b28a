import { describe, expect, test } from 'vitest'
import { queryOf } from './query.ts'
import type { Open } from './open.contract.ts'
import type { Store } from './store.ts'
import { insert, migrated } from './constraints.contract.ts'

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
  // Its vectors are in a table of their own, because a piece has two while a model changes.
  embeddings: 'id# source_type source_path chunk_text? updated_at',
  skill_span: `span_id skill parent_span_id? status first_step? last_step? steps started_at suspended_at?
    completed_at? session_id?`,
  life_event: 'id timestamp skill phase event_type session_id payload',
}

/** Our additions to them, and our own tables. */
const ADDED: Readonly<Record<string, string>> = {
  projects: 'session_gate# main_id#?',
  workplaces: 'id# project_id# machine_id? machine? path created_at',
  skills: 'kind? scope? file? folder? digest? description? plan? details? diagnostics? workplace_id#?',
  tasks: 'last_ordinal# workplace_id#?',
  efforts: 'agent_id? last_session_id#? request? plan_digest? result? workplace_id#?',
  sessions: `native_id? client? agent_id? transcript_path? transcript_offset# transcript_at? ended_reason? open_calls?
    context_told# stale_at? told_directives? lost_efforts? changed_files? todos? scope_of? workplace_id#? imported_at?`,
  effort_files: 'effort_id# session_id# files',
  messages: 'native_id?',
  agents: 'registered_at',
  embeddings: 'project_id#? heading line# digest words',
  skill_span: 'effort_id#?',
  life_event: 'seq# window_id#? effort_id#? project_id#? agent_id?',
  artifacts: 'id# effort_id#? span_id? step? name path? evidence? created_at rank digest?',
  evidence_runs: 'token effort_id# name command covers digest? started_at',
  environments: 'session_id environment recorded_at',
  step_visits: 'id# effort_id# step attempts# started_at completed_at? outcome?',
  continuations: `id# project_id# effort_id#? position# skill args? context? status result? on_error? created_at
    updated_at chain_id# task_id? session_id? call? level reason? parent#? asked_at? started_at? ended_at?`,
  plans: 'digest plan? definition',
  trusted_modules: 'digest skill exported texts created_at',
  plan_state: 'effort_id# name value updated_at',
  spaces: 'id# identity provider model asked_dims#? dims# scheme center@? state',
  vectors: 'id# space_id# piece_id# digest code@ vector@',
  dehydrations: 'effort_id# author session_id#? payload cut? created_at native_id',
  delegations: `session_id call_id skill effort_id#? steps agent_id? stopped? outcome? created_at ended_at?
    request? prompt_id?`,
  approvals: 'id# effort_id# kind subject reason created_at used_at?',
  skill_runs: 'id# project_id# effort_id#? span_id? skill args name created_at made_at? workplace_id#?',
  queue: 'id# project_id# effort_id#? kind content resolution? created_at resolved_at?',
  workers: `id project_id# agent_id? task_id? worktree? branch? pane? pid#? status attempts# created_at
    ended_at? effort_id#? item? machine_id? log? reason? stop_asked_at? seen_at?`,
  work_bodies: 'effort_id# title last_position# last_number# created_at',
  work_items: `effort_id# item position# title prompt? skill? phase? files? produces? most_tries# model? proof? state
    needs_user# reason? blocker? worker? fence# lease_until? created_at ended_at?`,
  work_blockers: 'effort_id# item blocker',
  leases: 'name holder fence# expires_at',
  idempotency_keys: 'key method digest intent? result? created_at',
  settings: 'name value',
  migrations: 'version# name applied_at',
}

const VIEWS: Readonly<Record<string, string>> = {
  fleet_status: `agent context_usage current_phase effort_id heartbeat_counter label last_heartbeat ordinal
    project_id session_id skill task_id`,
  task_summary: `active_count created_at description dir_path effort_count keywords last_activity last_ordinal
    latest_skill project_id title workplace_id workspace`,
  active_efforts: `agent_id created_at current_phase discovered_directives discovered_directories finished_at id
    last_session_id lifecycle metadata mode ordinal plan_digest project_id request result skill skill_name task_id workplace_id`,
  stale_sessions: `agent_id changed_files client context_told context_usage created_at dehydration_payload effort_id ended_at ended_reason
    heartbeat_counter id imported_at last_heartbeat loaded_files lost_efforts native_id open_calls pid prev_session_id scope_of stale_at task_dir task_id todos told_directives
    transcript_at transcript_offset
    transcript_path workplace_id`,
}

/** The three of the seeds come first. */
const INDEXES = [
  'idx_efforts_task_lifecycle: task_id lifecycle',
  'idx_messages_session_ts: session_id timestamp',
  'idx_sessions_effort_ended: effort_id ended_at',
  'idx_approvals_effort: effort_id',
  'idx_artifacts_effort: effort_id name',
  'idx_artifacts_rank: effort_id name rank',
  'idx_continuations_chain: chain_id position',
  'idx_continuations_effort: effort_id status',
  'idx_continuations_project: project_id status position',
  'idx_continuations_session: session_id status',
  'idx_continuations_task: task_id status',
  'idx_delegations_open: session_id',
  'idx_effort_files_session: session_id',
  'idx_embeddings_project: project_id source_type source_path',
  'idx_embeddings_source: source_type source_path',
  'idx_idempotency_created: created_at',
  'idx_life_event_effort: effort_id seq',
  'idx_life_event_session: session_id seq',
  'idx_life_event_window: window_id seq',
  'idx_phase_history_effort: effort_id id',
  'idx_queue_project: project_id resolved_at',
  'idx_sessions_agent: agent_id ended_at',
  'idx_sessions_native: native_id ended_at',
  'idx_sessions_open_native: native_id',
  'idx_sessions_task: task_id',
  'idx_sessions_scope: scope_of',
  'idx_sessions_unmarked: last_heartbeat',
  'idx_skill_runs_effort: effort_id',
  'idx_skill_runs_span: span_id',
  'idx_skill_span_effort: effort_id',
  'idx_skill_span_session: session_id status',
  'idx_skills_folder: workplace_id folder',
  'idx_skills_name: workplace_id name',
  'idx_work_blockers_blocker: effort_id blocker item',
  'idx_work_items_lease: lease_until',
  'idx_work_items_state: effort_id state position',
  'idx_workers_effort: effort_id status',
  'idx_skill_runs_name: workplace_id name',
  'idx_spaces_active: state',
  'idx_vectors_codes: space_id id piece_id code',
  'idx_vectors_digest: space_id digest',
  'idx_vectors_piece: piece_id space_id',
  'idx_workplaces_project: project_id',
  'idx_tasks_project: project_id',
]

const MILLISECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** What the tables, the views and the indexes must be on any database. */
export function schemaContract(open: Open): void {
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

    test('sets missing times in UTC with milliseconds', async () => {
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
}

const sorted = (texts: readonly string[]) => texts.toSorted((a, b) => (a < b ? -1 : 1))

interface Column {
  readonly owner: string
  readonly name: string
  readonly type: string
  readonly nullable: number
}

/** The index of words is not among them, because each database has its own. */
const COLUMNS = {
  sqlite: `select m.name as owner, c.name, lower(c.type) as type, (c."notnull" = 0 and c.pk = 0) as nullable
    from sqlite_master m, pragma_table_info(m.name) c where m.type = '$' and m.name not like 'sqlite_%' and m.name not like 'embedding_words%'`,
  postgres: `select c.table_name as owner, c.column_name as name, c.data_type as type,
      (c.is_nullable = 'YES')::int as nullable
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and c.data_type <> 'tsvector' and t.table_type = case '$' when 'table' then 'BASE TABLE' else 'VIEW' end`,
}

const MARKS: Readonly<Record<string, string>> = {
  integer: '#',
  bigint: '#',
  real: '%',
  'double precision': '%',
  blob: '@',
  bytea: '@',
  // Each database compares bits in its own form.
  'bit varying': '@',
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
