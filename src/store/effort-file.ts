import { sql } from 'kysely'
import { changedAfter } from '../model/loaded-files.ts'
import { fromJson } from './json.ts'
import { windowChange } from './open-windows.ts'
import { query, queryOne, type Tx } from './query.ts'
import type { Volatile } from './volatile.ts'

type Files = { files: string }

const findFiles = queryOne<{ effort_id: number; session_id: number }, Files>((db, p) =>
  db
    .selectFrom('effort_files')
    .select('files')
    .where('effort_id', '=', p.effort_id)
    .where('session_id', '=', p.session_id),
)

const putFiles = query<{ effort_id: number; session_id: number; files: string }, unknown>((db, p) =>
  db
    .insertInto('effort_files')
    .values({ effort_id: p.effort_id, session_id: p.session_id, files: p.files })
    .onConflict((oc) =>
      oc.columns(['effort_id', 'session_id']).doUpdateSet((eb) => ({ files: eb.ref('excluded.files') })),
    ),
)

const changedOf = queryOne<{ id: number }, { effort_id: number; changed_files: string | null }>((db, p) =>
  db.selectFrom('sessions').select(['effort_id', 'changed_files']).where('id', '=', p.id),
)

const clearChanged = windowChange<{ id: number }, unknown>((db, p) =>
  db.updateTable('sessions').set({ changed_files: null }).where('id', '=', p.id),
)

/** Leaves the files that a session changed with the effort that it served; its pending state must be written. */
export async function leaveFiles(tx: Tx, volatile: Volatile, id: number): Promise<void> {
  const { effort_id = 0, changed_files: changed = null } = (await changedOf(tx, { id })) ?? {}
  if (changed === null) return
  const left = await findFiles(tx, { effort_id, session_id: id })
  const files = changedAfter(listed(left), listed({ files: changed }))
  await putFiles(tx, { effort_id, session_id: id, files: JSON.stringify(files) })
  await clearChanged(tx, volatile, { id })
}

const listed = (row: Files | undefined): readonly string[] =>
  fromJson<readonly string[]>(row?.files ?? null, [])

const leftForEffort = query<{ effort_id: number }, Files>((db, p) =>
  db
    .selectFrom('effort_files')
    .select('files')
    .where('effort_id', '=', p.effort_id)
    .orderBy('session_id', 'desc')
    .limit(sql.lit(10)),
)

const leftByNative = query<{ native_id: string }, Files>((db, p) =>
  db
    .selectFrom('sessions')
    .innerJoin('effort_files', 'effort_files.session_id', 'sessions.id')
    .select('effort_files.files')
    .where('sessions.native_id', '=', p.native_id)
    .orderBy('sessions.id', 'desc')
    .orderBy('effort_files.effort_id', 'desc')
    .limit(sql.lit(10)),
)

/** The files that sessions left with an effort, or that a client's session left with any; newest first. */
export async function leftFiles(
  tx: Tx,
  of: { readonly effort_id: number } | { readonly native_id: string },
): Promise<readonly string[]> {
  const rows = 'effort_id' in of ? await leftForEffort(tx, of) : await leftByNative(tx, of)
  return rows.flatMap((row) => listed(row).toReversed())
}
