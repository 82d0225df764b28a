import type { Statement } from './query.ts'

const MOST_KEPT = 100
const MOST_ROWS = 20
/** Long questions are rare, and would take memory for long. */
const LONGEST_KEY = 1000
/** A view shows tables that a question does not name. */
export const VIEWS: ReadonlySet<string> = new Set([
  'fleet_status',
  'task_summary',
  'active_efforts',
  'stale_sessions',
])

interface Answer {
  readonly rows: readonly unknown[]
  /** The words of the question, among them every table that it reads. */
  readonly words: ReadonlySet<string>
}

/**
 * What the connection read since the last change of the same tables. A hook asks much of what the hook before it asked,
 * and reads some of it twice.
 */
export class ReadAnswers {
  readonly #answers = new Map<string, Answer>()
  readonly #words = new Map<string, ReadonlySet<string>>()
  #version: number | undefined

  /** Another process changed the database if its version is another one. */
  asOf(version: number | undefined): void {
    if (version !== this.#version) this.forget()
    this.#version = version
  }

  /** After a change or a rollback, nothing is known of this table, or of any. */
  forget(table?: string): void {
    if (table === undefined) return this.#answers.clear()
    for (const [key, { words }] of this.#answers) if (words.has(table)) this.#answers.delete(key)
  }

  /** The rows that answer a question, read only if they are not known. */
  to<Row>(statement: Statement<Row>, read: () => readonly Row[]): readonly Row[] {
    const key = keyOf(statement)
    if (key === undefined) return read()
    const known = this.#answers.get(key)
    if (known !== undefined) return known.rows as readonly Row[]
    const [rows, words] = [read(), this.#wordsOf(statement)]
    if (rows.length > MOST_ROWS || [...VIEWS].some((view) => words.has(view))) return rows
    if (this.#answers.size >= MOST_KEPT) this.#answers.clear()
    this.#answers.set(key, { rows, words })
    return rows
  }

  #wordsOf({ name = '', sql }: Statement<unknown>): ReadonlySet<string> {
    const words = this.#words.get(name) ?? new Set(sql.match(/\w+/g))
    this.#words.set(name, words)
    return words
  }
}

/** The only table that a statement changes; undefined for others, such as a deletion, which can reach more tables. */
export const tableChangedBy = (sql: string): string | undefined =>
  /^(?:insert into|update) "?(\w+)/.exec(sql)?.[1]

/** Only texts that never change have names. */
function keyOf({ sql, name, parameters }: Statement<unknown>): string | undefined {
  if (name === undefined || !sql.startsWith('select ')) return undefined
  const key = `${name} ${JSON.stringify(parameters)}`
  return key.length > LONGEST_KEY ? undefined : key
}
