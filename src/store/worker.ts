import type { Selectable } from 'kysely'
import { query, queryOne } from './query.ts'
import type { Tables } from './schema.ts'

export type WorkerRow = Selectable<Tables['workers']>

interface NewWorker {
  readonly id: string
  readonly project_id: number
  readonly agent_id: string
  readonly task_id: string
  readonly effort_id: number
  readonly machine_id: string
  readonly pid: number
  readonly log: string | null
  readonly now: string
}

/** Nothing is returned for an id that there is already. */
export const insertWorker = queryOne<NewWorker, WorkerRow>((db, p) =>
  db
    .insertInto('workers')
    .values({
      id: p.id,
      project_id: p.project_id,
      agent_id: p.agent_id,
      task_id: p.task_id,
      effort_id: p.effort_id,
      machine_id: p.machine_id,
      pid: p.pid,
      log: p.log,
      status: 'running',
      created_at: p.now,
      seen_at: p.now,
    })
    .onConflict((oc) => oc.column('id').doNothing())
    .returningAll(),
)

export const findWorker = queryOne<{ id: string }, WorkerRow>((db, p) =>
  db.selectFrom('workers').selectAll().where('id', '=', p.id),
)

/** What a worker does now. One that has ended stays so. */
export const markWorker = queryOne<
  { id: string; item: string | null; worktree: string | null; branch: string | null; now: string },
  WorkerRow
>((db, p) =>
  db
    .updateTable('workers')
    .set({ item: p.item, worktree: p.worktree, branch: p.branch, seen_at: p.now })
    .where('id', '=', p.id)
    .where('ended_at', 'is', null)
    .returningAll(),
)

export const askToStop = queryOne<{ id: string; now: string }, WorkerRow>((db, p) =>
  db
    .updateTable('workers')
    .set((eb) => ({ stop_asked_at: eb.fn.coalesce('stop_asked_at', eb.val(p.now)) }))
    .where('id', '=', p.id)
    .returningAll(),
)

export const endWorker = queryOne<
  { id: string; status: 'stopped' | 'failed'; reason: string | null; now: string },
  WorkerRow
>((db, p) =>
  db
    .updateTable('workers')
    .set({ status: p.status, reason: p.reason, ended_at: p.now, item: null, worktree: null, branch: null })
    .where('id', '=', p.id)
    .where('ended_at', 'is', null)
    .returningAll(),
)

export const workersOf = query<{ effort_id: number }, WorkerRow>((db, p) =>
  db
    .selectFrom('workers')
    .selectAll()
    .where('effort_id', '=', p.effort_id)
    .orderBy('created_at')
    .orderBy('id'),
)
