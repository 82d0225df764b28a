import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { query } from './query.ts'
import type { Store } from './store.ts'

/** A slice takes a few milliseconds, so that hooks do not wait. */
const ROWS_PER_SLICE = 100
const WINDOWS_PER_LOOK = 100

/** Ended windows whose tool messages nothing shows: neither their client's session nor their effort goes on. */
const prunableWindows = query<{ before: string; after: number }, { id: number }>((db, p) =>
  db
    .selectFrom('sessions')
    .innerJoin('efforts', 'efforts.id', 'sessions.effort_id')
    .select('sessions.id')
    .where('sessions.id', '>', p.after)
    .where('sessions.ended_at', '<', p.before)
    .where((eb) => eb.or([eb('efforts.ordinal', '=', sql.lit(0)), eb('efforts.finished_at', '<', p.before)]))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('sessions as later')
            .select('later.id')
            .whereRef('later.native_id', '=', 'sessions.native_id')
            .where((of) => of.or([of('later.ended_at', 'is', null), of('later.ended_at', '>=', p.before)])),
        ),
      ),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          // A window may have served other efforts before its last one.
          eb
            .selectFrom('life_event')
            .innerJoin('efforts as served', 'served.id', 'life_event.effort_id')
            .select('life_event.seq')
            .whereRef('life_event.window_id', '=', 'sessions.id')
            .where('served.ordinal', '>', sql.lit(0))
            .where((of) =>
              of.or([of('served.finished_at', 'is', null), of('served.finished_at', '>=', p.before)]),
            ),
        ),
      ),
    )
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('messages')
          .select('messages.id')
          .whereRef('messages.session_id', '=', 'sessions.id')
          .where('messages.role', '=', sql.lit('tool')),
      ),
    )
    .orderBy('sessions.id')
    .limit(sql.lit(WINDOWS_PER_LOOK)),
)

const deleteSlice = query<{ session_id: number }, { id: number }>((db, p) =>
  db
    .deleteFrom('messages')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('messages')
        .select('id')
        .where('session_id', '=', p.session_id)
        .where('role', '=', sql.lit('tool'))
        .limit(sql.lit(ROWS_PER_SLICE)),
    )
    .returning('id'),
)

const sizeOfWindow = query<{ session_id: number }, { messages: number; bytes: number }>((db, p) =>
  db
    .selectFrom('messages')
    .select((eb) => eb.cast<number>(eb.fn.countAll(), 'integer').as('messages'))
    .select(sql<number>`cast(coalesce(sum(length(content)), 0) as integer)`.as('bytes'))
    .where('session_id', '=', p.session_id)
    .where('role', '=', sql.lit('tool')),
)

/** What goes, or would go. */
interface Pruned {
  readonly sessions: number
  readonly messages: number
  /** The length of their texts. */
  readonly bytes: number
}

interface Pruning {
  /** The moment before which sessions must have ended. */
  readonly before: string
  /** Only counts. */
  readonly dryRun?: boolean
  readonly stopping?: AbortSignal | undefined
}

/** Deletes the tool messages of sessions that ended before a moment, in short transactions. */
export async function pruneMessages(
  { transact }: Pick<Store, 'transact'>,
  { before, dryRun = false, stopping }: Pruning,
): Promise<Pruned> {
  let [after, sessions, messages, bytes] = [0, 0, 0, 0]
  for (;;) {
    const from = after
    const windows = await transact((tx) => prunableWindows(tx, { before, after: from }), { reads: true })
    for (const { id } of windows) {
      if (stopping?.aborted === true) return { sessions, messages, bytes }
      const [size] = await transact((tx) => sizeOfWindow(tx, { session_id: id }), { reads: true })
      sessions++
      messages += dryRun ? (size?.messages ?? 0) : await deleteFrom(transact, id, stopping)
      bytes += size?.bytes ?? 0
      after = id
      await nextTurn()
    }
    if (windows.length < WINDOWS_PER_LOOK) return { sessions, messages, bytes }
  }
}

async function deleteFrom(
  transact: Store['transact'],
  session_id: number,
  stopping: AbortSignal | undefined,
): Promise<number> {
  for (let deleted = 0; ; await nextTurn()) {
    const { length } = await transact((tx) => deleteSlice(tx, { session_id }))
    deleted += length
    if (length < ROWS_PER_SLICE || stopping?.aborted === true) return deleted
  }
}

/** The megabytes that the data of an embedded database takes, without free pages; undefined on a server. */
export function megabytesUsed({ database, transact }: Pick<Store, 'database' | 'transact'>) {
  if (database.kind !== 'sqlite') return Promise.resolve(undefined)
  return transact(async (tx) => {
    const valueOf = async (name: string) => {
      const [row = {}] = await tx.execute<Readonly<Record<string, number>>>({
        sql: `pragma ${name}`,
        parameters: [],
      })
      return Object.values(row)[0] ?? 0
    }
    const pages = (await valueOf('page_count')) - (await valueOf('freelist_count'))
    return (pages * (await valueOf('page_size'))) / 2 ** 20
  })
}
