import type { DatabaseKind, Tx } from '../query.ts'
import { SPELLINGS, type Spelling, staleSessionsAnew } from './dialect.ts'

/** Adds workplaces: skills, runs and tasks belong to one, sessions and efforts work in one. */
export async function up(tx: Tx): Promise<void> {
  const spell = SPELLINGS[tx.kind]
  const statements = [...workplaces(spell), ...columns(spell), ...keys(tx.kind, spell), ...views(tx.kind)]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}

/** Each project gets a workplace at its path; the daemon that sees it next adds its machine. */
const workplaces = ({ id, integer, now, end }: Spelling) => [
  `create table workplaces (
    id ${id},
    project_id ${integer} not null references projects(id) on delete cascade,
    machine_id text,
    machine text,
    path text not null,
    created_at text not null default ${now},
    unique (machine_id, path)
  ) ${end}`,
  'create index idx_workplaces_project on workplaces(project_id)',
  'insert into workplaces (project_id, path, created_at) select id, path, created_at from projects order by id',
  // A merged project keeps its row, because the ledger names it.
  `alter table projects add column main_id ${integer} references projects(id)`,
]

const placeOf = (project: string) => `(select w.id from workplaces w where w.project_id = ${project})`
const placeOfTask = (table: string) =>
  `(select w.id from tasks t join workplaces w on w.project_id = t.project_id where t.dir_path = ${table}.task_id)`

const columns = ({ integer }: Spelling) => [
  ...['efforts', 'sessions', 'tasks', 'skills', 'skill_runs'].map(
    (table) => `alter table ${table} add column workplace_id ${integer} references workplaces(id)`,
  ),
  ...['efforts', 'sessions'].map((table) => `update ${table} set workplace_id = ${placeOfTask(table)}`),
  ...['tasks', 'skills', 'skill_runs'].map(
    (table) => `update ${table} set workplace_id = ${placeOf(`${table}.project_id`)}`,
  ),
]

/** Names are unique in a workplace now; SQLite can drop the old constraint only with the table. */
const keys = (kind: DatabaseKind, spell: Spelling) => [
  'drop view active_efforts',
  ...(kind === 'postgres' ? postgresKeys : sqliteKeys(spell)),
  'create unique index idx_skills_name on skills(workplace_id, name)',
  'create index idx_skills_folder on skills(workplace_id, folder)',
  'create unique index idx_skill_runs_name on skill_runs(workplace_id, name)',
]

const postgresKeys = [
  'alter table skills drop constraint skills_project_id_name_key',
  'alter table skill_runs drop constraint skill_runs_project_id_name_key',
  'drop index idx_skills_folder',
]

const sqliteKeys = ({ id, integer, now, end }: Spelling) => [
  ...rebuilt('skills', end, [
    `id ${id}`,
    `project_id ${integer} not null references projects(id) on delete cascade`,
    'name text not null',
    ...['phases', 'modes', 'templates', 'cmd_dependencies', 'next_skills', 'directives'].map(asText),
    `updated_at text not null default ${now}`,
    ...['kind', 'scope', 'file', 'folder', 'digest', 'description', 'plan', 'details', 'diagnostics'].map(
      asText,
    ),
    `workplace_id ${integer} references workplaces(id) on delete cascade`,
  ]),
  ...rebuilt('skill_runs', end, [
    `id ${id}`,
    `project_id ${integer} not null references projects(id) on delete cascade`,
    `effort_id ${integer} references efforts(id) on delete set null`,
    'span_id text',
    'skill text not null',
    'args text not null',
    'name text not null',
    `created_at text not null default ${now}`,
    'made_at text',
    `workplace_id ${integer} references workplaces(id) on delete cascade`,
  ]),
  'create index idx_skill_runs_effort on skill_runs(effort_id)',
  'create index idx_skill_runs_span on skill_runs(span_id)',
]

const asText = (column: string) => `${column} text`

/** The same rows in a table with these columns and no other constraints. */
function rebuilt(table: string, end: string, defined: readonly string[]): readonly string[] {
  const names = defined.map((column) => column.split(' ')[0]).join(', ')
  return [
    `create table ${table}_anew (${defined.join(', ')}) ${end}`,
    `insert into ${table}_anew (${names}) select ${names} from ${table}`,
    `drop table ${table}`,
    `alter table ${table}_anew rename to ${table}`,
  ]
}

/** An effort counts even if its skill is unknown. */
const views = (kind: DatabaseKind) => [
  `create view active_efforts as
    select e.*, t.project_id, s.name as skill_name
    from efforts e
    join tasks t on e.task_id = t.dir_path
    left join skills s on s.name = e.skill and s.workplace_id = e.workplace_id
    where e.lifecycle = 'active' and e.ordinal > 0`,
  ...staleSessionsAnew(kind),
  'drop view task_summary',
  `create view task_summary as
    select t.*,
      (select count(*) from efforts e where e.task_id = t.dir_path and e.ordinal > 0) as effort_count,
      (select count(*) from efforts e
        where e.task_id = t.dir_path and e.ordinal > 0 and e.lifecycle = 'active') as active_count,
      (select e.skill from efforts e
        where e.task_id = t.dir_path and e.ordinal > 0 order by e.ordinal desc limit 1) as latest_skill,
      (select max(e.created_at) from efforts e
        where e.task_id = t.dir_path and e.ordinal > 0) as last_activity
    from tasks t`,
]
