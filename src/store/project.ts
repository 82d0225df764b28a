import type { Project } from '../model/project.ts'
import { query, queryOne } from './query.ts'

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

export const findProject = queryOne<{ id: number }, Project>((db, p) =>
  db.selectFrom('projects').selectAll().where('id', '=', p.id),
)

export const listProjects = query<object, Project>((db) =>
  db.selectFrom('projects').selectAll().orderBy('path'),
)
