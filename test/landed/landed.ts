import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { Client } from 'pg'
import type { RpcConnection } from '../../src/rpc/connect.ts'
import type { Home } from '../../src/daemon/home.ts'
import { type Before, lookAtCopy, type Row, type Rows } from '../torture/crash-check.ts'
import type { CrashRecord } from '../torture/crash-record.ts'
import { type Ask, putFiles, questionsAbout } from './furnish.ts'

/** The folder for the stored data. */
interface Stage {
  readonly folder: string
  readonly home: Home
  readonly project: string
  readonly record: CrashRecord
  connect(): Promise<RpcConnection>
}

type Tables = Readonly<Record<string, readonly Row[]>>

/** What the current program may change in an old row: skills, counts, settings and who made a ledger entry. */
const MAY_CHANGE: Readonly<Record<string, readonly string[]>> = {
  skills: ['digest', 'updated_at', 'diagnostics'],
  tasks: ['last_ordinal'],
  life_event: ['session_id', 'agent_id'],
  settings: ['value'],
}

interface LandedOptions {
  readonly version: string
  /** The URL of an empty PostgreSQL; without it, SQLite is used. */
  readonly url?: string
  /** Checks a daemon that continues with the data. */
  readonly goesOn: (ask: Ask, project: string, answers: readonly unknown[]) => Promise<void>
}

/** A furnished database of an older program; `scripts/landed-database.ts` says how it was made. */
export class Landed {
  readonly env: Readonly<Record<string, string>>
  readonly #options: LandedOptions
  #old: Tables = {}

  constructor(options: LandedOptions) {
    this.#options = options
    this.env = {
      // However slow the machine is, active sessions must not become stale.
      HOLDFAST_STALE_SECONDS: '86400',
      ...(options.url !== undefined && { HOLDFAST_DATABASE_URL: options.url }),
    }
  }

  /** Before any daemon, as if it had been left a minute ago. */
  async put(stage: Stage): Promise<void> {
    putFiles(stage.project)
    const { url } = this.#options
    const statements = this.#text('sql', stage.folder)
    if (url === undefined) {
      mkdirSync(stage.home.folder, { mode: 0o700 })
      const db = new DatabaseSync(stage.home.database)
      db.exec('pragma journal_mode = wal')
      db.exec(statements)
      db.close()
    } else await asking(url, (client) => client.query(statements))
    await this.look(stage, async (rows) => void (this.#old = await allRows(rows, url !== undefined)))
  }

  get before(): Before {
    const last = (table: string) => Math.max(0, ...(this.#old[table] ?? []).map(({ id }) => Number(id)))
    return {
      efforts: last('efforts'),
      phase_history: last('phase_history'),
      sessions: last('sessions'),
      messages: last('messages'),
      keys: new Set((this.#old['idempotency_keys'] ?? []).map(({ key }) => String(key))),
    }
  }

  async look({ folder, home, record }: Stage, look: (rows: Rows) => Promise<void>): Promise<void> {
    const { url } = this.#options
    const scratch = join(folder, 'scratch')
    if (url === undefined) return await lookAtCopy({ database: home.database, scratch, record }, look)
    await asking(url, (client) => look(async (sql) => (await client.query<Row>(sql)).rows))
  }

  /** Every old row exists with its old values. */
  async check(rows: Rows, record: CrashRecord): Promise<void> {
    const now = await allRows(rows, this.#options.url !== undefined)
    for (const [table, old] of Object.entries(this.#old)) {
      const kept = (now[table] ?? []).map((row) => without(row, table))
      for (const row of old.map((one) => without(one, table)))
        if (!kept.some((one) => includes(one, row)))
          record.report('lost', `of ${table} there was ${JSON.stringify(row)}`)
    }
  }

  async goesOn(stage: Stage): Promise<void> {
    const connection = await stage.connect()
    const ask: Ask = (method, params = {}) => connection.call(method, params)
    const answers = JSON.parse(this.#text('json', stage.folder)) as readonly unknown[]
    await this.#options.goesOn(ask, stage.project, answers)
    connection.close()
  }

  #text(kind: 'sql' | 'json', folder: string): string {
    const database = this.#options.url === undefined ? 'sqlite' : 'postgres'
    const text = readFileSync(join('test/landed', `${this.#options.version}.${database}.${kind}`), 'utf8')
    return this.#lately(text).replaceAll('{{folder}}', folder)
  }

  #shift: number | undefined

  /** Moves all times by the same span, because old data expires. */
  #lately(text: string): string {
    const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g
    const newest = Math.max(...[...text.matchAll(TIME)].map(([time]) => Date.parse(time)))
    this.#shift ??= Date.now() - 60_000 - newest
    return text.replaceAll(TIME, (time) => new Date(Date.parse(time) + (this.#shift ?? 0)).toISOString())
  }
}

/** The answers of the current program, beside those of the older one. */
export async function askAgain(ask: Ask, project: string): Promise<readonly unknown[]> {
  const answers: unknown[] = []
  for (const [method, params] of questionsAbout(project)) answers.push(await ask(method, params))
  return answers
}

async function asking<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return await work(client).finally(() => client.end())
}

async function allRows(rows: Rows, isPostgres: boolean): Promise<Tables> {
  const names = await rows(
    isPostgres
      ? `select tablename as name from pg_tables where schemaname = 'public'`
      : `select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`,
  )
  const found: Record<string, readonly Row[]> = {}
  for (const { name } of names) found[String(name)] = await rows(`select * from ${String(name)}`)
  return found
}

const without = (row: Row, table: string): Row =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !MAY_CHANGE[table]?.includes(column)))

/** New columns may exist; none may be missing. */
const includes = (row: Row, old: Row): boolean =>
  Object.entries(old).every(([column, value]) => isDeepStrictEqual(row[column], value))
