import { sql } from 'kysely'
import { changedAfter, loadedAfter } from '../model/loaded-files.ts'
import { type OpenCall, openAfter } from '../model/open-call.ts'
import { todosAfter } from '../model/todo-list.ts'
import { fromJson, toJson } from './json.ts'
import { insertMessages } from './message.ts'
import { locked, query, queryOne, type Tx } from './query.ts'
import type { Pending, Volatile } from './volatile.ts'

const LISTS = ['loaded_files', 'changed_files', 'todos', 'open_calls'] as const

const lockLists = queryOne<{ id: number }, Readonly<Record<(typeof LISTS)[number], string | null>>>(
  (db, p, kind) => locked(db.selectFrom('sessions').select(LISTS).where('id', '=', p.id), kind),
)

const addPending = query<
  {
    id: number
    beats: number
    last: string | null
    usage: number | null
    files: string | null
    changed: string | null
    todos: string | null
    calls: string | null
  },
  unknown
>((db, p) =>
  db
    .updateTable('sessions')
    .set((eb) => ({
      heartbeat_counter: eb('heartbeat_counter', '+', p.beats),
      last_heartbeat: eb.fn.coalesce(eb.val(p.last), 'last_heartbeat'),
      // New activity clears the stale mark, so that the session can become stale again.
      stale_at: sql<string | null>`case when cast(${p.last} as text) is null then stale_at end`,
      context_usage: eb.fn.coalesce(eb.val(p.usage), 'context_usage'),
      loaded_files: eb.fn.coalesce(eb.val(p.files), 'loaded_files'),
      changed_files: eb.fn.coalesce(eb.val(p.changed), 'changed_files'),
      todos: eb.fn.coalesce(eb.val(p.todos), 'todos'),
      open_calls: eb.fn.coalesce(eb.val(p.calls), 'open_calls'),
    }))
    .where('id', '=', p.id),
)

/** Locks in one order to avoid deadlocks; only PostgreSQL has `any`. */
const lockSessions = query<{ ids: readonly number[] }, { id: number }>((db, p, kind) =>
  locked(
    db
      .selectFrom('sessions')
      .select('id')
      .where(sql<boolean>`id = any(${p.ids}::bigint[])`)
      .orderBy('id'),
    kind,
  ),
)

/**
 * Locks the rows before pending state is taken, so that no other flush is between taking and writing. Rows of windows
 * that are not committed yet are invisible, so their pending state waits.
 */
export async function lockPending(tx: Tx, ids: readonly number[]): Promise<readonly number[]> {
  // The embedded database has one writer.
  if (tx.kind === 'sqlite' || ids.length === 0) return ids
  return (await lockSessions(tx, { ids })).map(({ id }) => id)
}

/** Writes the pending state of one session in the caller's transaction. */
export async function flushSession(tx: Tx, volatile: Volatile, id: number): Promise<void> {
  await flushSessions(tx, volatile.take(tx, await lockPending(tx, [id])))
}

/** Writes the taken state of each session. */
export async function flushSessions(tx: Tx, pending: ReadonlyMap<number, Pending>): Promise<void> {
  for (const [id, news] of pending) {
    const { todos } = news
    const isList =
      news.loadedFiles.length + news.changedFiles.length + news.calls.length > 0 || todos !== undefined
    const row = isList ? await lockLists(tx, { id }) : undefined
    const known = fromJson<readonly string[]>(row?.loaded_files ?? null, [])
    const files = loadedAfter(known, news.loadedFiles)
    const changed = changedAfter(
      fromJson<readonly string[]>(row?.changed_files ?? null, []),
      news.changedFiles,
    )
    const calls = openAfter(fromJson<readonly OpenCall[]>(row?.open_calls ?? null, []), news.calls)
    await addPending(tx, {
      id,
      beats: news.beats + calls.begun,
      last: news.lastHeartbeat ?? null,
      usage: news.contextUsage ?? null,
      files: toJson(files === known ? undefined : files),
      changed: toJson(news.changedFiles.length === 0 ? undefined : changed),
      todos: toJson(todos && todosAfter({ todos: fromJson(row?.todos ?? null, []) }, todos).todos),
      calls: toJson(news.calls.length === 0 ? undefined : calls.open),
    })
    await insertMessages(tx, id, news.messages)
  }
}
