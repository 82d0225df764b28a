import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError, Pool, type QueryResultRow, types } from 'pg'
import { deadlinePassed, EngineError } from '../model/error.ts'
import type { Database, TransactOptions } from './database.ts'
import { unreachable, withoutPassword } from './postgres-url.ts'
import type { Statement, Tx } from './query.ts'

const ATTEMPTS = 8
/** Conflicts with another transaction: serialization, deadlock, lock wait. */
const IN_THE_WAY = new Set(['40001', '40P01', '55P03'])
/** A concurrent insert of the same key; the next attempt finds the row, or it is a bug. */
const UNIQUE = '23505'
const UNIQUE_ATTEMPTS = 3
/** A prepared statement that a pooler between us and the server has lost, or gave to another. */
const LOST_STATEMENT = new Set(['26000', '42P05'])

/** PostgreSQL, shared by many machines: each run has its own transaction. */
export async function openPostgres(url: string): Promise<Database> {
  const location = withoutPassword(url)
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
  // Without a listener, a lost idle connection would end the daemon; the pool replaces it.
  pool.on('error', () => undefined)
  const listeners = new Set<() => void>()
  const prepares: Prepares = { isOn: true }
  await checkDurable(pool).catch(async (error: unknown) => {
    await pool.end()
    throw error
  })
  // A closing pool never serves waiting runs, so they finish first.
  const underWay = new Set<Promise<unknown>>()
  let closed = false
  return {
    kind: 'postgres',
    location,
    async transact(run, options = {}) {
      if (closed) throw new EngineError('unavailable', 'The database is closed.')
      const work = attempt({ pool, prepares }, run, options)
      underWay.add(work)
      const value = await work.finally(() => underWay.delete(work))
      if (options.reads !== true) for (const listener of listeners) listener()
      return value
    },
    onCommit(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    backup: () => Promise.resolve(undefined),
    async close() {
      closed = true
      await Promise.allSettled(underWay)
      await pool.end()
    },
  }
}

function toNumber(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} does not fit a number.`)
  return value
}

/** INV_ACK_IS_DURABLE: rejects a server that may lose acknowledged commits. */
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
      `PostgreSQL runs with ${rows[0].name}=off, so committed changes could be lost.`,
      {
        hint: `Set ${rows[0].name}=on in postgresql.conf.`,
      },
    )
}

/** Whether named statements stay prepared, so that the server parses and plans them once per connection. */
interface Prepares {
  isOn: boolean
}

interface Server {
  readonly pool: Pool
  readonly prepares: Prepares
}

async function attempt<T>(server: Server, run: (tx: Tx) => Promise<T>, options: TransactOptions): Promise<T> {
  let lost: EngineError | undefined
  for (let tries = 1; ; tries++) {
    const { isOn: mayBePrepared } = server.prepares
    try {
      return await once(server, run, options)
    } catch (error) {
      if (error instanceof EngineError && error.code === 'unavailable') lost = error
      // After a commit of unknown outcome, a timeout must not claim that nothing was changed.
      if (error instanceof EngineError && error.code === 'timeout') throw lost ?? error
      if (mayBePrepared && isAboutPrepared(error)) {
        server.prepares.isOn = false
        continue
      }
      if (!mayTryAgain(error, options, tries)) throw error
      if (tries === ATTEMPTS && error instanceof EngineError) throw error
      if (tries === ATTEMPTS)
        throw new EngineError('timeout', 'Other transactions kept blocking this one.', {
          cause: error,
        })
      await sleep(Math.random() * 10 * 2 ** tries)
    }
  }
}

/** Also if another machine has changed the schema below a prepared statement. */
function isAboutPrepared(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false
  return LOST_STATEMENT.has(error.code ?? '') || error.routine === 'RevalidateCachedQuery'
}

function mayTryAgain(error: unknown, options: TransactOptions, tries: number): boolean {
  if (error instanceof DatabaseError && error.code === UNIQUE) return tries < UNIQUE_ATTEMPTS
  if (error instanceof DatabaseError) return IN_THE_WAY.has(error.code ?? '')
  return error instanceof EngineError && error.code === 'unavailable' && options.repeatable === true
}

async function once<T>(
  { pool, prepares }: Server,
  run: (tx: Tx) => Promise<T>,
  options: TransactOptions,
): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw unreachable(error)
  })
  const undo: (() => void)[] = []
  let ended = false
  let broken: Error | undefined
  const onError = (error: Error) => void (broken = error)
  client.on('error', onError)
  const tx: Tx = {
    kind: 'postgres',
    async execute<Row>({ sql: text, parameters, name }: Statement<Row>) {
      // The connection may already serve another transaction.
      if (ended) throw new Error('A transaction was used after its end.')
      const values = [...parameters]
      const query = prepares.isOn && name !== undefined ? { name, text, values } : { text, values }
      return (await client.query<Row & QueryResultRow>(query)).rows as Row[]
    },
    onRollback: (fn) => void undo.push(fn),
  }
  try {
    if ((options.deadline ?? Infinity) < Date.now()) throw deadlinePassed()
    // A run that waited for a row lock must see the other transaction's change.
    await client.query('begin isolation level read committed')
    const value = await run(tx)
    ended = true
    // PostgreSQL answers COMMIT with ROLLBACK, without an error, if a statement had failed.
    const { command } = await client.query('commit')
    if (command !== 'COMMIT') throw new Error('A transaction continued after a failed statement.')
    return value
  } catch (error) {
    ended = true
    for (const fn of undo.toReversed()) fn()
    await client.query('rollback').catch((lost: Error) => void (broken ??= lost))
    throw classify(error)
  } finally {
    client.off('error', onError)
    client.release(broken)
  }
}

/** A lost connection may have committed, so only the key of the call can tell. */
function classify(error: unknown): unknown {
  if (error instanceof EngineError || !(error instanceof Error)) return error
  const code = 'code' in error ? String(error.code) : ''
  if (code === '53100')
    return new EngineError('storage-full', 'The disk of PostgreSQL is full; nothing was changed.', {
      cause: error,
      hint: 'Free some space and repeat the call.',
    })
  if (code === '57014')
    return new EngineError('timeout', 'PostgreSQL took too long; nothing was changed.', {
      cause: error,
    })
  if (code.startsWith('53')) return unreachable(error)
  const lost =
    code === ''
      ? /^(Connection terminated|Client .* not queryable)/.test(error.message)
      : /^(57P0|08|25P03|E[A-Z]+$)/.test(code)
  if (!lost) return error
  return new EngineError(
    'unavailable',
    'The connection to PostgreSQL was lost; the change may or may not be stored.',
    {
      cause: error,
      hint: 'Repeat the call with the same idempotency_key.',
    },
  )
}
