import type { Tx } from '../query.ts'
import { SPELLINGS } from './dialect.ts'

/** Adds the session that began or continued an effort last, because a session turns to other efforts. */
export async function up(tx: Tx): Promise<void> {
  const statements = [
    `alter table efforts add column last_session_id ${SPELLINGS[tx.kind].integer} references sessions(id)`,
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
  ]
  for (const sql of statements) await tx.execute({ sql, parameters: [] })
}
