import type { Level } from '../model/level.ts'
import type { Project } from '../model/project.ts'
import { locked, query, queryOne } from './query.ts'

export const upsertProject = queryOne<{ path: string; name: string | null; now: string }, Project>((db, p) =>
  db
    .insertInto('projects')
    .values({ path: p.path, name: p.name, created_at: p.now })
    .onConflict((oc) =>
      oc.column('path').doUpdateSet((eb) => ({ name: eb.fn.coalesce('excluded.name', 'projects.name') })),
    )
    .returningAll(),
)

export const findProjectByPath = queryOne<{ path: string }, Project>((db, p) =>
  db.selectFrom('projects').selectAll().where('path', '=', p.path),
)

export const setProjectLevel = queryOne<{ id: number; level: Level }, Project>((db, p) =>
  db.updateTable('projects').set({ level: p.level }).where('id', '=', p.id).returningAll(),
)

export const setGate = query<{ id: number; session_gate: number }, unknown>((db, p) =>
  db.updateTable('projects').set({ session_gate: p.session_gate }).where('id', '=', p.id),
)

export const findProject = queryOne<{ id: number }, Project>((db, p) =>
  db.selectFrom('projects').selectAll().where('id', '=', p.id),
)

/** Locks a project, so that changes run one after the other. */
export const lockProject = queryOne<{ id: number }, Project>((db, p, kind) =>
  locked(db.selectFrom('projects').selectAll().where('id', '=', p.id), kind),
)

export const findProjectOfTask = queryOne<{ dir_path: string }, Project>((db, p) =>
  db
    .selectFrom('projects')
    .innerJoin('tasks', 'tasks.project_id', 'projects.id')
    .selectAll('projects')
    .where('tasks.dir_path', '=', p.dir_path),
)

/** Projects with active efforts or open sessions. */
export const projectsInUse = query<object, Project>((db) =>
  db
    .selectFrom('projects')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb.exists(
          eb
            .selectFrom('tasks')
            .innerJoin('efforts', 'efforts.task_id', 'tasks.dir_path')
            .select('efforts.id')
            .whereRef('tasks.project_id', '=', 'projects.id')
            .where('efforts.lifecycle', '=', 'active')
            .where('efforts.ordinal', '>', 0),
        ),
        eb.exists(
          eb
            .selectFrom('tasks')
            .innerJoin('sessions', 'sessions.task_id', 'tasks.dir_path')
            .select('sessions.id')
            .whereRef('tasks.project_id', '=', 'projects.id')
            .where('sessions.ended_at', 'is', null),
        ),
      ]),
    ),
)

export const listProjects = query<object, Project>((db) =>
  db.selectFrom('projects').selectAll().orderBy('path'),
)
