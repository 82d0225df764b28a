import type { Statement } from './query.ts'

const MOST_KEPT = 100
const MOST_ROWS = 20
/** Long questions are rare, and would take memory until the next change. */
const LONGEST_KEY = 1000

/**
 * What the connection read since the last change. A hook asks much of what the hook before it asked, and reads some of
 * it twice.
 */
export class ReadAnswers {
  readonly #rows = new Map<string, readonly unknown[]>()
  #version: number | undefined

  /** Another process changed the database if its version is another one. */
  asOf(version: number | undefined): void {
    if (version !== this.#version) this.forget()
    this.#version = version
  }

  /** After a change or a rollback nothing is known. */
  forget(): void {
    this.#rows.clear()
  }

  of<Row>(statement: Statement<Row>): readonly Row[] | undefined {
    const key = keyOf(statement)
    return key === undefined ? undefined : (this.#rows.get(key) as readonly Row[] | undefined)
  }

  keep<Row>(statement: Statement<Row>, rows: readonly Row[]): readonly Row[] {
    const key = rows.length > MOST_ROWS ? undefined : keyOf(statement)
    if (key === undefined) return rows
    if (this.#rows.size >= MOST_KEPT) this.#rows.clear()
    this.#rows.set(key, rows)
    return rows
  }
}

/** Only texts that never change have names. */
function keyOf({ sql, name, parameters }: Statement<unknown>): string | undefined {
  if (name === undefined || !sql.startsWith('select ')) return undefined
  const key = `${name} ${JSON.stringify(parameters)}`
  return key.length > LONGEST_KEY ? undefined : key
}
