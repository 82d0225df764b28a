import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError, Pool, type QueryResultRow, types } from 'pg'
import { EngineError } from '../model/error.ts'
import type { Database, TransactOptions } from './database.ts'
import type { Tx } from './query.ts'

const ATTEMPTS = 8
/** Another transaction was in the way: serialization, deadlock, lock wait, a key inserted at the same moment. */
const IN_THE_WAY = new Set(['40001', '40P01', '55P03', '23505'])

/** PostgreSQL for many machines: a transaction of its own for each run. */
export async function openPostgres(url: string): Promise<Database> {
  const pool = new Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 10_000,
    statement_timeout: 30_000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 60_000,
    application_name: 'holdfast',
    types: {
      getTypeParser: (id, format) =>
        id === types.builtins.INT8 ? toNumber : types.getTypeParser(id, format),
    },
  })
  // Without a listener the death of an idle connection would end the daemon; the pool replaces it by itself.
  pool.on('error', () => undefined)
  const listeners = new Set<() => void>()
  await checkDurable(pool).catch(async (error: unknown) => {
    await pool.end()
    throw error
  })
  return {
    kind: 'postgres',
    location: withoutPassword(url),
    async transact(run, options = {}) {
      const value = await attempt(pool, run, options)
      if (options.reads !== true) for (const listener of listeners) listener()
      return value
    },
    onCommit(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    backup: () => Promise.resolve(undefined),
    close: () => pool.end(),
  }
}

function toNumber(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} does not fit a number.`)
  return value
}

function withoutPassword(url: string): string {
  const shown = new URL(url)
  if (shown.password !== '') shown.password = '***'
  return shown.href
}

/** INV_ACK_IS_DURABLE: a server that forgets acknowledged commits is refused. */
async function checkDurable(pool: Pool): Promise<void> {
  const { rows } = await pool
    .query<{ name: string; setting: string }>(
      `select name, setting from pg_settings where name in ('fsync', 'synchronous_commit') and setting = 'off'`,
    )
    .catch((error: unknown) => {
      throw unreachable(error)
    })
  if (rows[0] !== undefined)
    throw new EngineError(
      'unavailable',
      `PostgreSQL runs with ${rows[0].name}=off, so nothing could be promised.`,
      {
        hint: `Set ${rows[0].name}=on in postgresql.conf.`,
      },
    )
}

async function attempt<T>(pool: Pool, run: (tx: Tx) => Promise<T>, options: TransactOptions): Promise<T> {
  for (let tries = 1; ; tries++) {
    if ((options.deadline ?? Infinity) < Date.now())
      throw new EngineError(
        'timeout',
        'The deadline passed before the call could finish; nothing was changed.',
      )
    try {
      return await once(pool, run)
    } catch (error) {
      if (!mayTryAgain(error, options)) throw error
      if (tries === ATTEMPTS && error instanceof EngineError) throw error
      if (tries === ATTEMPTS)
        throw new EngineError('timeout', 'Other transactions stayed in the way.', { cause: error })
      await sleep(Math.random() * 10 * 2 ** tries)
    }
  }
}

function mayTryAgain(error: unknown, options: TransactOptions): boolean {
  if (error instanceof DatabaseError) return IN_THE_WAY.has(error.code ?? '')
  return error instanceof EngineError && error.code === 'unavailable' && options.repeatable === true
}

async function once<T>(pool: Pool, run: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw unreachable(error)
  })
  const undo: (() => void)[] = []
  let broken: Error | undefined
  const onError = (error: Error) => void (broken = error)
  client.on('error', onError)
  const tx: Tx = {
    kind: 'postgres',
    async execute<Row>({ sql, parameters }: { sql: string; parameters: readonly unknown[] }) {
      return (await client.query<Row & QueryResultRow>(sql, [...parameters])).rows as Row[]
    },
    onRollback: (fn) => void undo.push(fn),
  }
  try {
    await client.query('begin')
    const value = await run(tx)
    await client.query('commit')
    return value
  } catch (error) {
    for (const fn of undo) fn()
    await client.query('rollback').catch((lost: Error) => void (broken ??= lost))
    throw classify(error)
  } finally {
    client.off('error', onError)
    client.release(broken)
  }
}

/** A connection that died may have committed before it did, so only the key of the call can tell. */
function classify(error: unknown): unknown {
  if (error instanceof EngineError || !(error instanceof Error)) return error
  const code = 'code' in error ? String(error.code) : ''
  const lost =
    code === '' ? error.message.startsWith('Connection terminated') : /^(57P0|08|E[A-Z]+$)/.test(code)
  if (!lost) return error
  return new EngineError(
    'unavailable',
    'The connection to PostgreSQL was lost; whether the change was made is not known.',
    {
      cause: error,
      hint: 'Repeat the call with the same idempotency_key.',
    },
  )
}

const unreachable = (error: unknown) =>
  new EngineError(
    'unavailable',
    `PostgreSQL cannot be reached: ${error instanceof Error ? error.message : String(error)}.`,
    {
      cause: error,
      hint: 'Check HOLDFAST_DATABASE_URL, or unset it to use the embedded database.',
    },
  )
