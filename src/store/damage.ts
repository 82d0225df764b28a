import type { DatabaseSync } from 'node:sqlite'

/** SQLITE_CORRUPT and SQLITE_NOTADB; other errors do not mean damage. */
const SQLITE_DAMAGE = new Set([11, 26])

/** Whether an error of SQLite means that the file is damaged. */
export const isDamage = (error: unknown): error is Error =>
  error instanceof Error && 'errcode' in error && SQLITE_DAMAGE.has(Number(error.errcode) & 0xff)

/** A larger database is checked by table, and beside the work of the daemon. */
export const CHECKED_AT_ONCE_BYTES = 8_388_608

/** By table, a thread can end between two, but no table is compared with the others. */
export type Extent = 'whole' | 'by-table'

export const extentFor = (bytes: number): Extent => (bytes <= CHECKED_AT_ONCE_BYTES ? 'whole' : 'by-table')

/** The first damage of a database, in the words of SQLite. All that looks for damage asks here. */
export function damageIn(db: DatabaseSync, extent: Extent): string | undefined {
  const first = (pragma: string) => db.prepare(`pragma ${pragma}`).get()
  try {
    for (const table of extent === 'whole' ? [undefined] : tablesOf(db)) {
      const { integrity_check: said } = first(`integrity_check(${table ?? 1})`) ?? {}
      if (said !== 'ok') return String(said)
      const orphan = first(table === undefined ? 'foreign_key_check' : `foreign_key_check(${table})`)
      if (orphan !== undefined) return `a row has no parent: ${JSON.stringify(orphan)}`
    }
    return undefined
  } catch (error) {
    if (isDamage(error)) return error.message
    throw error
  }
}

/** Their quoted names; the schema comes first, because its check includes the free pages. */
function tablesOf(db: DatabaseSync): readonly string[] {
  const rows = db.prepare(`select name from sqlite_schema where type = 'table' and rootpage > 0`).all()
  return ['sqlite_schema', ...rows.map(({ name }) => String(name))].map(
    (name) => `"${name.replaceAll('"', '""')}"`,
  )
}
