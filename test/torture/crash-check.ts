import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { SKILL } from './scene.ts'
import type { CrashRecord, MadeCall } from './crash-record.ts'

export type Row = Readonly<Record<string, SQLOutputValue>>
/** Queries either database, in SQL that both accept. */
export type Rows = (sql: string) => Promise<readonly Row[]>

/** The rows up to these ids, and the keys, from before the callers. */
export interface Before {
  readonly efforts: number
  readonly phase_history: number
  readonly sessions: number
  readonly messages: number
  readonly keys: ReadonlySet<string>
}

const NOTHING: Before = { efforts: 0, phase_history: 0, sessions: 0, messages: 0, keys: new Set() }

interface Subject {
  readonly rows: Rows
  /** The files that callers append to; without them, others check the files. */
  readonly files?: readonly string[]
  readonly record: CrashRecord
  readonly before?: Before | undefined
}

interface Copied {
  /** The database of a dead daemon. */
  readonly database: string
  /** An empty folder for a copy, so that the next daemon still recovers from the crash. */
  readonly scratch: string
  readonly record: CrashRecord
}

/** Opens a SQLite database for reading; only while no daemon runs. */
export async function lookAtCopy(
  { database, scratch, record }: Copied,
  look: (rows: Rows) => Promise<void>,
): Promise<void> {
  rmSync(scratch, { recursive: true, force: true })
  mkdirSync(scratch)
  const copy = join(scratch, 'copy.db')
  copyFileSync(database, copy)
  if (existsSync(`${database}-wal`)) copyFileSync(`${database}-wal`, `${copy}-wal`)
  const db = new DatabaseSync(copy)
  try {
    const rows: Rows = (sql) => Promise.resolve(db.prepare(sql).all())
    await checkIntegrity(rows, record)
    await look(rows)
  } catch (error) {
    record.report('integrity', `the database cannot be read: ${String(error)}`)
  } finally {
    db.close()
  }
}

/** Compares a database with the answers that callers got; only while no daemon runs. */
export class CrashCheck {
  #ledger = { seq: 0, entries: 0 }

  async run({ rows, files, record, before = NOTHING }: Subject): Promise<void> {
    if (files !== undefined) checkFiles(files, record)
    await checkKeys(rows, record, before)
    await checkEffects(rows, record, before)
    await checkOrdinals(rows, record)
    await checkOwners(rows, record)
    await this.#checkLedger(rows, record, before)
  }

  /** The ledger only grows, and has each change once. */
  async #checkLedger(rows: Rows, record: CrashRecord, before: Before): Promise<void> {
    const entries = await rows(
      'select seq, event_type, window_id, effort_id, phase, payload from life_event order by seq',
    )
    const left = entries.filter(({ seq }) => Number(seq) <= this.#ledger.seq).length
    if (left !== this.#ledger.entries)
      record.report('ledger', `of ${this.#ledger.entries} entries ${left} are left`)
    this.#ledger = { seq: Number(entries.at(-1)?.['seq'] ?? 0), entries: entries.length }
    const told = new Map<string, number>()
    for (const entry of entries) told.set(nameOf(entry), (told.get(nameOf(entry)) ?? 0) + 1)
    for (const { what } of await rows(whatWasDone(before)))
      if (told.get(String(what)) !== 1)
        record.report('ledger', `${String(what)} was told ${told.get(String(what)) ?? 0} times`)
    for (const [what, times] of told)
      if (times > 1 && TOLD_ONCE.test(what)) record.report('ledger', `${what} was told ${times} times`)
    for (const call of record.calls.values()) {
      const expected = call.answer === undefined ? undefined : entryOf(call)
      if (expected !== undefined && !told.has(expected))
        record.report('lost', `${call.key} (${call.method}) is not in the ledger`)
    }
  }
}

/** The subject of an entry, in a form that rows and calls also have. */
function nameOf({ event_type: event, window_id: session, effort_id: effort, phase, payload }: Row): string {
  if (event === 'session.started') return `${event} ${String(session)}`
  if (event === 'phase.entered') return `${event} ${String(effort)} ${String(phase)}`
  if (event !== 'message.appended' && event !== 'file.appended') return `${String(event)} ${String(effort)}`
  const about = JSON.parse(String(payload)) as { message_id?: number; path?: string; offset?: number }
  return about.message_id === undefined
    ? `${event} ${about.path} at ${about.offset}`
    : `${event} ${about.message_id}`
}

const whatWasDone = ({ efforts, sessions, phase_history, messages }: Before) => `
  select 'effort.started ' || id as what from efforts where ordinal > 0 and id > ${efforts}
  union all select 'session.started ' || id from sessions where id > ${sessions}
  union all select 'phase.entered ' || effort_id || ' ' || phase_label from phase_history where id > ${phase_history}
  union all select 'message.appended ' || id from messages where id > ${messages} and ${OF_CALLERS}`

/** Changes without their own row; callers make each of them at most once. */
const TOLD_ONCE = /^(agent\.claimed|agent\.released|file\.appended) /

function entryOf({ method, params, answer }: MadeCall): string | undefined {
  if (method === 'db.agents.claim') return `agent.claimed ${String(params['effort_id'])}`
  if (method === 'db.agents.release') return `agent.released ${String(params['effort_id'])}`
  if (method !== 'fs.files.append') return undefined
  return `file.appended ${String(answer?.value['path'])} at ${String(answer?.value['offset'])}`
}

async function checkIntegrity(rows: Rows, record: CrashRecord): Promise<void> {
  for (const { integrity_check: found } of await rows('pragma integrity_check'))
    if (found !== 'ok') record.report('integrity', String(found))
  for (const row of await rows('pragma foreign_key_check'))
    record.report('integrity', `foreign key: ${JSON.stringify(row)}`)
}

/** INV_ACK_IS_DURABLE: every acknowledged key exists, with the answer that was given. */
async function checkKeys(rows: Rows, record: CrashRecord, { keys }: Before): Promise<void> {
  const kept = await rows(`select key, result from idempotency_keys where method <> 'hooks.handle'`)
  const stored = new Map(
    kept.filter(({ key }) => !keys.has(String(key))).map(({ key, result }) => [String(key), result]),
  )
  for (const { key, method, answer } of record.calls.values()) {
    if (answer === undefined || method === 'db.session.heartbeat') continue
    const result = stored.get(key)
    if (result === undefined) record.report('lost', `${key} (${method}) was acknowledged and is gone`)
    else if (!isDeepStrictEqual(JSON.parse(String(result)), answer.value))
      record.report('changed', `${key} (${method}) is stored with another answer`)
  }
  for (const key of stored.keys()) if (!record.calls.has(key)) record.report('stray', `the key ${key}`)
}

interface Effect {
  readonly method: string
  readonly table: 'efforts' | 'phase_history' | 'sessions' | 'messages'
  /** The key that caused each row, and the id of the row as in the answer. */
  readonly columns: string
  readonly where?: string
  readonly keyIn: (told: string) => string
}

const keyInJson = (told: string): string => String((JSON.parse(told) as { key?: unknown }).key)

/** Messages that hooks have stored belong to sessions of a client. */
const OF_CALLERS = 'session_id in (select id from sessions where client is null)'

const EFFECTS: readonly Effect[] = [
  {
    method: 'db.effort.start',
    table: 'efforts',
    columns: 'metadata as told, id',
    where: `skill = '${SKILL}'`,
    keyIn: keyInJson,
  },
  {
    method: 'db.effort.phase',
    table: 'phase_history',
    columns: 'proof as told, effort_id as id',
    keyIn: keyInJson,
  },
  {
    method: 'db.session.start',
    table: 'sessions',
    columns: 'native_id as told, id',
    where: 'client is null',
    keyIn: (told) => told,
  },
  {
    method: 'db.messages.append',
    table: 'messages',
    columns: 'content as told, id',
    where: OF_CALLERS,
    keyIn: (told) => told.slice(0, Math.max(0, told.indexOf(' '))),
  },
]

/** Each row has exactly one call, and each acknowledged call has its row. */
async function checkEffects(rows: Rows, record: CrashRecord, before: Before): Promise<void> {
  for (const { method, table, columns, where = '1 = 1', keyIn } of EFFECTS) {
    const found = new Map<string, number[]>()
    for (const { told, id } of await rows(
      `select ${columns} from ${table} where ${where} and ${table}.id > ${before[table]}`,
    )) {
      const key = keyIn(String(told))
      found.set(key, [...(found.get(key) ?? []), Number(id)])
    }
    for (const [key, ids] of found) {
      if (record.calls.get(key)?.method !== method) record.report('stray', `${method} with the key ${key}`)
      if (ids.length > 1) record.report('duplicate', `${key} (${method}) was done ${ids.length} times`)
    }
    for (const call of acknowledgedOf(record, method)) {
      const [id] = found.get(call.key) ?? []
      if (id === undefined) record.report('lost', `${call.key} (${method}) has left nothing`)
      else if (id !== call.answer?.value['id'])
        record.report('changed', `${call.key} (${method}) has become ${id}`)
    }
  }
}

const acknowledgedOf = (record: CrashRecord, method: string): readonly MadeCall[] =>
  [...record.calls.values()].filter((call) => call.method === method && call.answer !== undefined)

async function checkOrdinals(rows: Rows, record: CrashRecord): Promise<void> {
  const wrong =
    await rows(`select t.dir_path, t.last_ordinal, count(e.id) as efforts, max(e.ordinal) as highest
    from tasks t left join efforts e on e.task_id = t.dir_path and e.ordinal > 0
    group by t.dir_path, t.last_ordinal
    having t.last_ordinal <> count(e.id) or t.last_ordinal <> coalesce(max(e.ordinal), 0)`)
  for (const row of wrong) record.report('ordinals', JSON.stringify(row))
}

/** INV_AGENT_OWNS_EFFORT, from both sides. */
async function checkOwners(rows: Rows, record: CrashRecord): Promise<void> {
  const wrong = await rows(`select a.id, a.effort_id, e.agent_id from agents a
    left join efforts e on e.id = a.effort_id where a.effort_id is not null and e.agent_id is distinct from a.id`)
  for (const row of wrong) record.report('integrity', `owner: ${JSON.stringify(row)}`)
}

function checkFiles(files: readonly string[], record: CrashRecord): void {
  const found = new Map<string, number>()
  for (const file of files) {
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : ['']
    if (lines.pop() !== '') record.report('integrity', `${file} ends with half a line`)
    for (const line of lines) found.set(line, (found.get(line) ?? 0) + 1)
  }
  for (const [key, times] of found) {
    if (record.calls.get(key)?.method !== 'fs.files.append') record.report('stray', `the line ${key}`)
    if (times > 1) record.report('duplicate', `${key} (fs.files.append) was written ${times} times`)
  }
  for (const { key } of acknowledgedOf(record, 'fs.files.append'))
    if (!found.has(key)) record.report('lost', `${key} (fs.files.append) is not in its file`)
}
