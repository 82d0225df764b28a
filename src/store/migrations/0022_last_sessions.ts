import type { Tx } from '../query.ts'
import { SPELLINGS } from './dialect.ts'

/** Adds the session that began or continued an effort last, and whose a note of an ad-hoc effort is. */
export async function up(tx: Tx): Promise<void> {
  const { integer, now, end } = SPELLINGS[tx.kind]
  const statements = [
    `alter table efforts add column last_session_id ${integer} references sessions(id)`,
    `update efforts set last_session_id = (select l.window_id from life_event l
        join sessions s on s.id = l.window_id
        where l.effort_id = efforts.id and l.event_type in ('session.started', 'session.switched')
        order by l.seq desc limit 1)
      where lifecycle = 'active' and ordinal > 0`,
    // A PostgreSQL view keeps the columns from when it was created.
    'drop view active_efforts',
    `create view active_efforts as
      select e.*, t.project_id, s.name as skill_name
      from efforts e
      join tasks t on e.task_id = t.dir_path
      left join skills s on s.name = e.skill and s.workplace_id = e.workplace_id
      where e.lifecycle = 'active' and e.ordinal > 0`,
    // Sessions without a skill share an ad-hoc effort, and each has a note of its own.
    `create table dehydrations_anew (
      effort_id ${integer} not null references efforts(id) on delete cascade,
      author text not null check (author in ('agent', 'engine')),
      session_id ${integer} references sessions(id) on delete set null,
      payload text not null,
      cut text,
      created_at text not null default ${now},
      native_id text not null default '',
      primary key (effort_id, author, native_id)
    ) ${end}`,
    `insert into dehydrations_anew (effort_id, author, session_id, payload, cut, created_at, native_id)
      select d.effort_id, d.author, d.session_id, d.payload, d.cut, d.created_at,
        case when e.ordinal = 0 then coalesce(s.native_id, '') else '' end
      from dehydrations d join efforts e on e.id = d.effort_id left join sessions s on s.id = d.session_id`,
    'drop table dehydrations',
    'alter table dehydrations_anew rename to dehydrations',
  ]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
