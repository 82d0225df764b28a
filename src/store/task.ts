import { sql } from 'kysely'
import type { Task } from '../model/task.ts'
import { watchChange } from './open-windows.ts'
import { locked, query, queryOf, queryOne, type Tx } from './query.ts'

const COLUMNS = [
  'dir_path',
  'project_id',
  'workspace',
  'title',
  'description',
  'keywords',
  'created_at',
] as const

/** A task with a summary of its efforts. */
export interface TaskSummary extends Task {
  readonly effort_count: number
  readonly active_count: number
  readonly latest_skill: string | null
  readonly last_activity: string | null
}

type TaskFields = Omit<Task, 'created_at' | 'keywords'> & {
  readonly workplace_id: number
  readonly now: string
}

export const findTask = queryOne<{ dir_path: string }, Task>((db, p) =>
  db.selectFrom('tasks').select(COLUMNS).where('dir_path', '=', p.dir_path),
)

/** Locks the row for a change that depends on its current state. */
export const lockTask = queryOne<{ dir_path: string }, Task>((db, p, kind) =>
  locked(db.selectFrom('tasks').select(COLUMNS).where('dir_path', '=', p.dir_path), kind),
)

/** Null keeps the stored value; a task stays in its workplace. */
export const upsertTask = watchChange<TaskFields, Task>((db, p) =>
  db
    .insertInto('tasks')
    .values({
      dir_path: p.dir_path,
      project_id: p.project_id,
      workspace: p.workspace,
      title: p.title,
      description: p.description,
      workplace_id: p.workplace_id,
      created_at: p.now,
    })
    .onConflict((oc) =>
      oc.column('dir_path').doUpdateSet((eb) => ({
        project_id: eb.ref('excluded.project_id'),
        workspace: eb.fn.coalesce('excluded.workspace', 'tasks.workspace'),
        title: eb.fn.coalesce('excluded.title', 'tasks.title'),
        description: eb.fn.coalesce('excluded.description', 'tasks.description'),
      })),
    )
    .returning(COLUMNS),
)

/** Takes the next ordinal; a rollback returns it. */
export const nextOrdinal = queryOne<{ dir_path: string }, { last_ordinal: number }>((db, p) =>
  db
    .updateTable('tasks')
    .set((eb) => ({ last_ordinal: eb('last_ordinal', '+', 1) }))
    .where('dir_path', '=', p.dir_path)
    .returning('last_ordinal'),
)

export const setKeywords = query<{ dir_path: string; keywords: string | null }, unknown>((db, p) =>
  db.updateTable('tasks').set({ keywords: p.keywords }).where('dir_path', '=', p.dir_path),
)

export interface TaskFilter {
  readonly text?: string | undefined
  readonly workspace?: string | undefined
  readonly projectId?: number | undefined
  readonly active?: boolean | undefined
  readonly limit: number
  readonly offset: number
}

export function findTasks(tx: Tx, filter: TaskFilter): Promise<readonly TaskSummary[]> {
  return queryOf(tx, (db) => {
    let rows = db
      .selectFrom(sql<TaskSummary>`task_summary`.as('t'))
      .select([...COLUMNS, 'effort_count', 'active_count', 'latest_skill', 'last_activity'])
    for (const word of filter.text?.split(/\s+/).filter((part) => part !== '') ?? [])
      rows = rows.where((eb) =>
        eb.or(
          (['dir_path', 'title', 'description', 'keywords'] as const).map(
            (column) =>
              sql<boolean>`lower(coalesce(${eb.ref(column)}, '')) like lower(${contains(word)}) escape '\\'`,
          ),
        ),
      )
    if (filter.workspace !== undefined) rows = rows.where('workspace', '=', filter.workspace)
    if (filter.projectId !== undefined) rows = rows.where('project_id', '=', filter.projectId)
    if (filter.active !== undefined) rows = rows.where('active_count', filter.active ? '>' : '=', 0)
    return rows.orderBy('dir_path').limit(filter.limit).offset(filter.offset)
  })
}

/** A LIKE pattern for a word; the database lowercases both sides. */
export const contains = (word: string): string => `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
