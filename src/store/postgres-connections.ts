import { Socket } from 'node:net'
import {
  Client,
  type ClientBase,
  DatabaseError,
  Pool,
  type PoolClient,
  type QueryResult,
  type QueryResultRow,
  types,
} from 'pg'
import { EngineError } from '../model/error.ts'
import { unreachable } from './postgres-url.ts'

/** How long the server may take, in milliseconds; 0 is no limit. */
export interface Limits {
  /** To accept a connection, or until one is free. */
  readonly connect: number
  /** To get a lock; by the server. */
  readonly lock: number
  /** To carry out a statement; by the server. */
  readonly statement: number
  /** To answer, by our clock; longer than a statement, so that only a lost connection takes so long. */
  readonly answer: number
  /** For us to send the next statement of a transaction; by the server. */
  readonly idle: number
  /** To end what is in progress when we close. */
  readonly close: number
  /** From one probe to the next. */
  readonly probeEvery: number
}

export const LIMITS: Limits = {
  connect: 3000,
  lock: 3000,
  statement: 5000,
  answer: 6000,
  idle: 10_000,
  close: 3000,
  probeEvery: 1000,
}

const SILENT_MILLISECONDS = 10_000
/** The server, too, must notice that we are gone; else it keeps the connection for hours. */
const KEEP_ALIVE =
  'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4'

/** The connections to a server; every wait for it has a limit. */
export class Connections {
  readonly #pool: Pool
  readonly #limits: Limits
  readonly #url: string
  readonly #sockets = new Set<Socket>()

  constructor(url: string, limits: Limits) {
    this.#url = url
    this.#limits = limits
    this.#pool = new Pool({ ...this.#config(), max: 10, onConnect: keepAlive(limits) })
    // Without a listener, a lost idle connection would end the daemon; the pool replaces it.
    this.#pool.on('error', () => undefined)
  }

  async take(): Promise<PoolClient> {
    return await this.#pool.connect().catch((error: unknown) => {
      throw unreachable(error)
    })
  }

  /** Connects anew, because open connections may all be dead. INV_ACK_IS_DURABLE: rejects a server that may lose commits. */
  async probe(): Promise<void> {
    const client = new Client(this.#config())
    client.on('error', () => undefined)
    try {
      await client.connect()
      const { rows } = await ask<{ name: string; setting: string }>(
        client,
        { text: NOT_DURABLE },
        this.#limits.answer,
      )
      if (rows[0] !== undefined) throw notDurable(rows[0].name)
    } catch (error) {
      // A server that has no room for one more connection is not away.
      if (error instanceof DatabaseError && error.code?.startsWith('53') === true) return
      throw error instanceof EngineError ? error : unreachable(error)
    } finally {
      // Not awaited, because a server that is gone does not say goodbye.
      void client.end()
    }
  }

  /** Closes idle connections: they are as old as one that was found dead. */
  dropIdle(): void {
    for (let left = this.#pool.idleCount; left > 0; left--)
      this.#pool.connect().then(
        (client) => client.release(true),
        () => undefined,
      )
  }

  /** Cuts every connection; whoever waits for an answer gets an error. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async end(): Promise<void> {
    const ended = this.#pool.end()
    this.cut()
    await ended
  }

  #config() {
    const { connect, lock, statement, idle } = this.#limits
    return {
      connectionString: this.#url,
      connectionTimeoutMillis: connect,
      statement_timeout: statement,
      lock_timeout: lock,
      idle_in_transaction_session_timeout: idle,
      keepAlive: true,
      keepAliveInitialDelayMillis: SILENT_MILLISECONDS,
      application_name: 'holdfast',
      stream: () => this.#newSocket(),
      types: {
        getTypeParser: ((id, format) =>
          id === types.builtins.INT8
            ? toNumber
            : types.getTypeParser(id, format)) as typeof types.getTypeParser,
      },
    }
  }

  #newSocket(): Socket {
    const socket = new Socket()
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    return socket
  }
}

interface Question {
  readonly text: string
  readonly values?: unknown[]
  readonly name?: string
}

/** Sends one query; if no answer comes in time, the connection must not be used again. */
export function ask<Row extends QueryResultRow>(
  client: ClientBase,
  question: Question,
  limit: number,
): Promise<QueryResult<Row>> {
  return client.query<Row>({ ...question, ...(limit > 0 && { query_timeout: limit }) })
}

/** Not every system of a server can keep connections alive, and it works without. */
const keepAlive = (limits: Limits) => async (client: ClientBase) => {
  await ask(client, { text: KEEP_ALIVE }, limits.connect).catch((error: unknown) => {
    if (!(error instanceof DatabaseError)) throw error
  })
}

const NOT_DURABLE = `select name, setting from pg_settings where name in ('fsync', 'synchronous_commit') and setting = 'off'`

const notDurable = (name: string) =>
  new EngineError('unavailable', `PostgreSQL runs with ${name}=off, so committed changes could be lost.`, {
    hint: `Set ${name}=on in postgresql.conf.`,
  })

function toNumber(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} does not fit a number.`)
  return value
}
