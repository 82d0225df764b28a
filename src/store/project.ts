import type { Level } from '../model/level.ts'
import type { Project } from '../model/project.ts'
import { watchChange } from './open-windows.ts'
import { locked, query, queryOne } from './query.ts'

const COLUMNS = ['id', 'path', 'name', 'created_at', 'level', 'session_gate'] as const
const MAIN_COLUMNS = COLUMNS.map((column) => `main.${column}` as const)

/** A path that belonged to a merged project becomes a project of its own again. */
export const upsertProject = queryOne<{ path: string; name: string | null; now: string }, Project>((db, p) =>
  db
    .insertInto('projects')
    .values({ path: p.path, name: p.name, created_at: p.now })
    .onConflict((oc) =>
      oc.column('path').doUpdateSet((eb) => ({
        name: eb.fn.coalesce('excluded.name', 'projects.name'),
        main_id: null,
      })),
    )
    .returning(COLUMNS),
)

/** The project that a project was merged into, else itself. */
export const findProject = queryOne<{ id: number }, Project>((db, p) =>
  db
    .selectFrom('projects')
    .innerJoin('projects as main', (join) =>
      join.on('main.id', '=', (eb) => eb.fn.coalesce('projects.main_id', 'projects.id')),
    )
    .select(MAIN_COLUMNS)
    .where('projects.id', '=', p.id),
)

export const setProjectLevel = watchChange<{ id: number; level: Level }, Project>((db, p) =>
  db.updateTable('projects').set({ level: p.level }).where('id', '=', p.id).returning(COLUMNS),
)

export const setGate = watchChange<{ id: number; session_gate: number }, unknown>((db, p) =>
  db.updateTable('projects').set({ session_gate: p.session_gate }).where('id', '=', p.id),
)

/** Locks a project, so that changes run one after the other. */
export const lockProject = queryOne<{ id: number }, Project>((db, p, kind) =>
  locked(db.selectFrom('projects').select(COLUMNS).where('id', '=', p.id), kind),
)

/** Without its path, because the task may lie in another workplace of the project. */
export const findProjectOfTask = queryOne<{ dir_path: string }, Omit<Project, 'path'>>((db, p) =>
  db
    .selectFrom('projects')
    .innerJoin('tasks', 'tasks.project_id', 'projects.id')
    .select([
      'projects.id',
      'projects.name',
      'projects.created_at',
      'projects.level',
      'projects.session_gate',
    ])
    .where('tasks.dir_path', '=', p.dir_path),
)

export const listProjects = query<object, Project>((db) =>
  db.selectFrom('projects').select(COLUMNS).where('main_id', 'is', null).orderBy('path'),
)
