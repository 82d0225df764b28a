import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client, type QueryResult } from 'pg'
import { memoryDisk } from '../../test/memory-disk.ts'
import { createDatabase, overSocket } from '../../test/postgres.ts'
import { beating } from '../daemon/jobs/beating.contract.ts'
import { sharedPostgres } from '../../test/shared.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'
import type { Database } from './database.ts'
import { ensureAdHocEffort, insertEffort } from './effort.ts'
import { upsertProject } from './project.ts'
import { OpenWindows } from './open-windows.ts'
import type { Tx } from './query.ts'
import { openStore } from './store.ts'
import { nextOrdinal, upsertTask } from './task.ts'
import { insertWorkplace, workplaceOfTask } from './workplace.ts'

type Rows = readonly Readonly<Record<string, unknown>>[]

/** Everything that is in a database, by table. */
export type Stored = Record<string, unknown[]>

/** An empty database, with raw access to its content. */
export interface Opened {
  readonly database: Database
  /** Another connection to the same data. */
  again(): Promise<Database>
  /** A query of another connection. */
  look(sql: string): Promise<Rows>
  /** Several queries of another connection at once. */
  lookAll(statements: readonly string[]): Promise<readonly Rows[]>
  /** Called when all connections are closed. */
  dispose(): Promise<void>
}

/** Opens a new database: empty, or it may have the current schema. */
export type Open = (has?: 'schema') => Promise<Opened>

/** A new SQLite database in a folder of its own. */
export async function temporarySqlite(): Promise<Opened & { readonly path: string }> {
  const folder = await mkdtemp(join(memoryDisk, 'holdfast-sqlite-'))
  const path = join(folder, 'engine.db')
  let reader: DatabaseSync | undefined
  // Kept open, because tests read the whole database many times.
  const rows = (sql: string) => (reader ??= new DatabaseSync(path, { readOnly: true })).prepare(sql).all()
  return {
    path,
    database: openSqlite(path),
    again: () => Promise.resolve(openSqlite(path)),
    look: async (sql) => rows(sql),
    lookAll: async (statements) => statements.map(rows),
    async dispose() {
      reader?.close()
      await rm(folder, { recursive: true })
    },
  }
}

export function readSqlite(path: string, sql: string): readonly Record<string, unknown>[] {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    return db.prepare(sql).all()
  } finally {
    db.close()
  }
}

/** A database with the current schema, made once per process, because a copy takes a third of the time. */
let migrated: Promise<string> | undefined

async function withSchema(server: string): Promise<string> {
  const url = await createDatabase(server)
  await (await openStore(await openPostgres(url), { clock })).close()
  return new URL(url).pathname.slice(1)
}

/** A new database on the PostgreSQL of this test run. */
export async function temporaryPostgres(has?: 'schema'): Promise<Opened & { readonly url: string }> {
  const server = await sharedPostgres()
  const template = has === 'schema' ? await (migrated ??= withSchema(server)) : undefined
  const url = await createDatabase(server, template)
  const near = await overSocket(url)
  const raw = await connect(near)
  return {
    url,
    database: await openPostgres(near),
    again: () => openPostgres(near),
    look: async (sql) => (await raw.query<Record<string, unknown>>(sql)).rows,
    // One message for all statements, with one result each.
    async lookAll(statements) {
      const results: unknown = await raw.query(statements.join(';'))
      return [results].flat().map((result) => (result as QueryResult<Record<string, unknown>>).rows)
    },
    dispose: () => raw.end(),
  }
}

/** A raw connection without our code. */
export async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** The whole content of a database, read by another connection. */
export async function dump(opened: Pick<Opened, 'database' | 'look' | 'lookAll'>): Promise<Stored> {
  const tables =
    opened.database.kind === 'sqlite'
      ? `select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`
      : `select tablename as name from pg_tables where schemaname = 'public'`
  const names = (await opened.look(tables)).map(({ name }) => String(name))
  const found = await opened.lookAll(names.map((name) => `select * from ${name}`))
  return Object.fromEntries(names.map((name, index) => [name, [...(found[index] ?? [])]]))
}

/** Closes every connection before the data is deleted. */
export async function closing(opened: Opened) {
  const open = [opened.database]
  return {
    ...opened,
    closes(database: Database): Database {
      open.push(database)
      return database
    },
    async [Symbol.asyncDispose]() {
      for (const database of open) await database.close().catch(() => undefined)
      await opened.dispose()
    },
  }
}

/** The time of all initial rows. */
export const NOW = '2026-01-02T03:04:05.006Z'
/** The clock of this machine. */
export const clock = { now: () => Date.now() }
/** The one task of a database that has one. */
export const TASK = '/p/t'

/** A project with the task, and its ad-hoc effort. */
export async function addTask(tx: Tx): Promise<void> {
  const project = await upsertProject(tx, { path: '/p', name: null, now: NOW })
  const task = { dir_path: TASK, workspace: null, title: null, description: null, now: NOW }
  const at = { project_id: project?.id ?? 0, machine_id: 'm', machine: null, path: '/p', now: NOW }
  const workplace = await insertWorkplace(tx, at)
  const fields = { ...task, project_id: project?.id ?? 0, workplace_id: workplace?.id ?? 0 }
  await upsertTask(tx, { openWindows: new OpenWindows() }, fields)
  await ensureAdHocEffort(tx, { task_id: TASK, workplace_id: workplace?.id ?? 0, now: NOW })
}

/** The next effort of the task. */
export async function startEffort(tx: Tx) {
  const counter = await nextOrdinal(tx, { dir_path: TASK })
  const place = await workplaceOfTask(tx, { dir_path: TASK })
  const fields = {
    task_id: TASK,
    skill: 's',
    mode: null,
    metadata: null,
    agent_id: null,
    workplace_id: place?.workplace_id ?? 0,
    request: null,
    plan_digest: null,
    open_calls: null,
    now: NOW,
  }
  return await insertEffort(tx, { ...fields, ordinal: counter?.last_ordinal ?? 0 })
}

/** A store with one task in it. */
export async function withTask(open: Open) {
  const opened = await closing(await open('schema'))
  const store = beating(await openStore(opened.database, { clock }))
  await store.transact(addTask)
  return {
    ...opened,
    store,
    async [Symbol.asyncDispose]() {
      await store.close().catch(() => undefined)
      await opened[Symbol.asyncDispose]()
    },
  }
}
