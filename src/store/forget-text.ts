import { type Erasing, forAll, type Forgotten, has, NOTHING, plus, withOpenLedger } from './forget.ts'
import { type Fate, SAID } from './forget-columns.ts'
import { contains } from './task.ts'

/** A text that is forgotten wherever it was said, without regard to case. */
export interface ForgottenText {
  readonly text: string
  /** The text as it may stand in a column: in JSON, and in JSON within JSON, it is escaped. */
  readonly forms: readonly string[]
}

export function formsOf(text: string): ForgottenText {
  const inJson = JSON.stringify(text).slice(1, -1)
  const forms = [text, inJson, JSON.stringify(inJson).slice(1, -1)].map((form) => form.toLowerCase())
  return { text, forms: [...new Set(forms)] }
}

/** Rows that are looked through at once, so that no statement holds the daemon up. */
const WINDOW = 500

/** The parts of a table that are looked through one after the other; on a server it is one. */
export async function windowsIn(
  { tx }: Erasing,
  table: string,
): Promise<readonly [from: number, to: number][]> {
  if (tx.kind === 'postgres') return [[0, Infinity]]
  const [row] = await tx.execute<{ first: number | null; last: number | null }>({
    sql: `select min(rowid) as first, max(rowid) as last from ${table}`,
    parameters: [],
  })
  const windows: [number, number][] = []
  if (row === undefined || row.first === null || row.last === null) return []
  for (let from = row.first; from <= row.last; from += WINDOW) windows.push([from, from + WINDOW - 1])
  return windows
}

/** The columns of a table that may hold a forgotten text, as far as this version of it has them. */
const columnsOf = (it: Erasing, table: string): readonly (readonly [string, Fate])[] =>
  Object.entries(SAID[table] ?? {}).filter(([column]) => has(it, table, column))

/** The tables that may hold one. */
export const tablesWithText = (it: Erasing): readonly string[] =>
  Object.keys(SAID).filter((table) => columnsOf(it, table).length > 0)

/** Takes a text out of a part of a table. */
export async function forgetText(
  it: Erasing,
  { table, from, to }: { readonly table: string; readonly from: number; readonly to: number },
  wanted: ForgottenText,
): Promise<Forgotten> {
  const columns = columnsOf(it, table)
  let result = NOTHING
  for (const [column, fate] of columns) {
    const rows = await rowsWith(it, { table, column, from, to }, wanted)
    if (rows.length === 0) continue
    result = plus(result, { [COUNTED[table] ?? 'others']: rows.length })
    if (table === 'messages') result = plus(result, { pieces: await forgetSpoken(it, rows) })
    else if (table === 'embeddings') await forgetSources(it, rows)
    else if (fate === 'row') await atRows(it, `delete from ${table}`, rows)
    else {
      const blank = () => atRows(it, `update ${table} set ${column} = ${fate}`, rows)
      await (table === 'life_event' ? withOpenLedger(it, blank) : blank())
    }
  }
  return result
}

const COUNTED: Readonly<Record<string, keyof Forgotten>> = {
  messages: 'messages',
  embeddings: 'pieces',
  life_event: 'entries',
}

/** How a row is named within a transaction. */
const PLACE = { sqlite: 'rowid', postgres: 'ctid::text' } as const

type At = string | number

const atRows = (it: Erasing, sql: string, rows: readonly At[]) =>
  forAll(it, `${sql} where ${PLACE[it.tx.kind]} in ($)`, rows)

/** The rows of a part of a table whose column has a text. */
async function rowsWith(
  { tx }: Erasing,
  { table, column, from, to }: { table: string; column: string; from: number; to: number },
  { forms }: ForgottenText,
): Promise<readonly At[]> {
  if (tx.kind === 'postgres') {
    const rows = await tx.execute<{ at: string }>({
      sql: `select ctid::text as at from ${table} where ${forms.map((_, form) => `position($${form + 1} in lower(${column})) > 0`).join(' or ')}`,
      parameters: forms,
    })
    return rows.map(({ at }) => at)
  }
  // SQLite folds only ASCII, so other letters match anything and are compared here.
  const patterns = forms.map((form) => contains(form).replaceAll(/[^\0-\x7f]/gu, '_'))
  const rows = await tx.execute<{ at: number; value: string }>({
    sql: `select rowid as at, ${column} as value from ${table} where rowid between ? and ?
      and (${patterns.map(() => `${column} like ? escape '\\'`).join(' or ')})`,
    parameters: [from, to, ...patterns],
  })
  return rows
    .filter(({ value }) => forms.some((form) => value.toLowerCase().includes(form)))
    .map(({ at }) => at)
}

/** Deletes messages with all pieces of their sessions, which are indexed again without them. */
async function forgetSpoken(it: Erasing, rows: readonly At[]): Promise<number> {
  const place = PLACE[it.tx.kind]
  const natives = has(it, 'sessions', 'native_id')
    ? await forAll<{ id: string | null }>(
        it,
        `select distinct native_id as id from sessions where id in (select session_id from messages where ${place} in ($))`,
        rows,
      )
    : []
  await atRows(it, 'delete from messages', rows)
  if (!has(it, 'embeddings', 'source_path')) return 0
  return (
    await forAll(
      it,
      `delete from embeddings where source_type = 'message' and source_path in ($) returning 1 as gone`,
      natives.flatMap(({ id }) => id ?? []),
    )
  ).length
}

/** Deletes all pieces of the sources of these pieces, so that none of them stays half known. */
async function forgetSources(it: Erasing, rows: readonly At[]): Promise<void> {
  const same = has(it, 'embeddings', 'project_id')
    ? 'and coalesce(e.project_id, 0) = coalesce(embeddings.project_id, 0)'
    : ''
  await forAll(
    it,
    `delete from embeddings where exists (select 1 from embeddings e where e.source_type = embeddings.source_type
      and e.source_path = embeddings.source_path ${same} and e.${PLACE[it.tx.kind]} in ($))`,
    rows,
  )
}
