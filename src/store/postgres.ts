import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError, type PoolClient, type QueryResult, type QueryResultRow } from 'pg'
import { deadlinePassed, EngineError } from '../model/error.ts'
import { Breaker } from './breaker.ts'
import type { Database, TransactOptions } from './database.ts'
import { ask, Connections, type Limits, LIMITS } from './postgres-connections.ts'
import { unreachable, withoutPassword } from './postgres-url.ts'
import type { Statement, Tx } from './query.ts'
import { ServerClock } from './server-clock.ts'

const ATTEMPTS = 8
/** No attempt begins later, because somebody waits. */
const TRY_FOR_MILLISECONDS = 8000
const LOST = 'The connection to PostgreSQL was lost; the change may or may not be stored.'
/** Conflicts with another transaction: serialization, deadlock, lock wait. */
const IN_THE_WAY = new Set(['40001', '40P01', '55P03'])
/** A concurrent insert of the same key; the next attempt finds the row, or it is a bug. */
const UNIQUE = '23505'
const UNIQUE_ATTEMPTS = 3
/** A prepared statement that a pooler between us and the server has lost, or gave to another. */
const LOST_STATEMENT = new Set(['26000', '42P05'])

/** What tests change. */
interface PostgresOptions {
  readonly limits?: Partial<Limits>
  /** The clock of this machine. */
  readonly now?: () => number
}

/** The same, once the server has answered. */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Database> {
  const database = postgresAt(url, options)
  await database.server?.probe().catch(async (error: unknown) => {
    await database.close()
    throw error
  })
  return database
}

/** PostgreSQL, shared by many machines: each run has its own transaction. */
export function postgresAt(url: string, options: PostgresOptions = {}): Database {
  const location = withoutPassword(url)
  const server = serverAt(url, options)
  const { connections, limits, breaker, clock } = server
  const listeners = new Set<() => void>()
  // A closing pool never serves waiting runs, so they finish first.
  const underWay = new Set<Promise<unknown>>()
  return {
    kind: 'postgres',
    location,
    server: { breaker, clock, probe: () => connections.probe() },
    async transact(run, given = {}) {
      if (server.isClosed) throw new EngineError('unavailable', 'The database is closed.')
      if (given.patient !== true) breaker.check()
      const work = attempt(server, run, given)
      underWay.add(work)
      const value = await work.finally(() => underWay.delete(work))
      if (given.reads !== true) for (const listener of listeners) listener()
      return value
    },
    onCommit(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      server.isClosed = true
      breaker.stop()
      const ended = Promise.allSettled(underWay)
      await (limits.close > 0 ? Promise.race([ended, sleep(limits.close, undefined, { ref: false })]) : ended)
      await connections.end()
    },
  }
}

function serverAt(url: string, { limits: given = {}, now = Date.now }: PostgresOptions): Server {
  const limits = { ...LIMITS, ...given }
  const connections = new Connections(url, limits)
  const breaker = new Breaker({
    probe: () => connections.probe(),
    every: limits.probeEvery,
    now,
    // A server that takes no new connection does not answer on old ones.
    onOpen: () => connections.cut(),
  })
  return {
    connections,
    limits,
    breaker,
    now,
    clock: new ServerClock(),
    prepares: { isOn: true },
    isClosed: false,
  }
}

/** Whether named statements stay prepared, so that the server parses and plans them once per connection. */
interface Prepares {
  isOn: boolean
}

interface Server {
  readonly connections: Connections
  readonly limits: Limits
  readonly breaker: Breaker
  readonly clock: ServerClock
  readonly now: () => number
  readonly prepares: Prepares
  isClosed: boolean
}

async function attempt<T>(server: Server, run: (tx: Tx) => Promise<T>, options: TransactOptions): Promise<T> {
  const giveUp = performance.now() + (options.patient === true ? Infinity : TRY_FOR_MILLISECONDS)
  let lost: EngineError | undefined
  let duplicates = 0
  for (let tries = 1; ; tries++) {
    const { isOn: mayBePrepared } = server.prepares
    try {
      return await once(server, run, options)
    } catch (error) {
      if (isUnavailable(error)) server.breaker.suspect()
      if (isUnavailable(error) && error.message === LOST) lost ??= error
      if (mayBePrepared && isAboutPrepared(error)) {
        server.prepares.isOn = false
        continue
      }
      if (error instanceof DatabaseError && error.code === UNIQUE) duplicates++
      const isLast = tries === ATTEMPTS || performance.now() > giveUp || server.isClosed
      // After a commit of unknown outcome, nothing may claim that nothing was changed.
      if (!mayTryAgain(error, options, duplicates)) throw isAnswer(error) ? error : (lost ?? error)
      if (isLast) throw lost ?? (error instanceof EngineError ? error : blocked(error))
      await sleep(Math.random() * 10 * 2 ** tries)
    }
  }
}

const isUnavailable = (error: unknown): error is EngineError =>
  error instanceof EngineError && error.code === 'unavailable'

/** Whether a run has decided, other than for want of time or of a server. */
const isAnswer = (error: unknown): boolean =>
  !isUnavailable(error) && !(error instanceof EngineError && error.code === 'timeout')

const blocked = (cause: unknown) =>
  new EngineError('timeout', 'Other transactions kept blocking this one.', { cause })

/** Also if another machine has changed the schema below a prepared statement. */
function isAboutPrepared(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false
  return LOST_STATEMENT.has(error.code ?? '') || error.routine === 'RevalidateCachedQuery'
}

function mayTryAgain(error: unknown, options: TransactOptions, duplicates: number): boolean {
  if (error instanceof DatabaseError && error.code === UNIQUE) return duplicates < UNIQUE_ATTEMPTS
  if (error instanceof DatabaseError) return IN_THE_WAY.has(error.code ?? '')
  return error instanceof EngineError && error.code === 'unavailable' && options.repeatable === true
}

async function once<T>(server: Server, run: (tx: Tx) => Promise<T>, options: TransactOptions): Promise<T> {
  const { connections, limits, prepares } = server
  const client = await connections.take()
  const limit = options.patient === true ? 0 : limits.answer
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
      return (await ask<Row & QueryResultRow>(client, query, limit)).rows as Row[]
    },
    onRollback: (fn) => void undo.push(fn),
  }
  try {
    if ((options.deadline ?? Infinity) < Date.now()) throw deadlinePassed()
    await begin(server, client, options)
    const value = await run(tx)
    ended = true
    // PostgreSQL answers COMMIT with ROLLBACK, without an error, if a statement had failed.
    const { command } = await ask(client, { text: 'commit' }, limit)
    if (command !== 'COMMIT') throw new Error('A transaction continued after a failed statement.')
    return value
  } catch (error) {
    ended = true
    for (const fn of undo.toReversed()) fn()
    if (isSilence(error)) {
      // A rollback would only wait behind the statement that has no answer.
      broken = error
      connections.dropIdle()
    } else await ask(client, { text: 'rollback' }, limit).catch((lost: Error) => void (broken ??= lost))
    throw classify(error)
  } finally {
    client.off('error', onError)
    client.release(broken)
  }
}

/** A run that waited for a row lock must see the other transaction's change. */
const BEGIN = 'begin isolation level read committed'
const WITHOUT_LIMITS = 'set local statement_timeout = 0; set local lock_timeout = 0'
const TIME = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now'

/** Begins a transaction, and now and then learns in the same message what time it is at the server. */
async function begin(
  { clock, limits, now }: Server,
  client: PoolClient,
  { patient = false }: TransactOptions,
): Promise<void> {
  const isDue = clock.isDue()
  const asked = now()
  const text = [BEGIN, ...(patient ? [WITHOUT_LIMITS] : []), ...(isDue ? [TIME] : [])].join('; ')
  const found: unknown = await ask(client, { text }, limits.answer)
  if (!isDue) return
  const { rows } = (found as QueryResult<{ now: number }>[]).at(-1) ?? {}
  if (rows?.[0] !== undefined) clock.measured({ asked, answered: now(), server: rows[0].now })
}

/** Whether the driver gave up waiting for an answer. */
const isSilence = (error: unknown): error is Error =>
  error instanceof Error && error.message === 'Query read timeout'

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
      ? /^(Connection terminated|Client .* not queryable|Query read timeout$)/.test(error.message)
      : /^(57P0|08|25P03|E[A-Z]+$)/.test(code)
  if (!lost) return error
  return new EngineError('unavailable', LOST, {
    cause: error,
    hint: 'Repeat the call with the same idempotency_key.',
  })
}
