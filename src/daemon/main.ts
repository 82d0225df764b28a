import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { call } from '../engine/call.ts'
import type { Context, DaemonStatus } from '../engine/context.ts'
import { methods } from '../engine/index.ts'
import { describeMethod } from '../engine/method.ts'
import { nodeFiles } from '../files/node.ts'
import { timestamp } from '../model/clock.ts'
import { EngineError, toWire } from '../model/error.ts'
import { idMaker } from '../model/id.ts'
import { RpcServer } from '../rpc/serve.ts'
import type { Database } from '../store/database.ts'
import { forgetKeysBefore } from '../store/key.ts'
import { openPostgres } from '../store/postgres.ts'
import { openSqlite } from '../store/sqlite.ts'
import { openStore, type Store } from '../store/store.ts'
import { type Home, preparePrivateFolders } from './home.ts'
import { takeLock } from './lock.ts'
import { errorDetails, type Log, openLog } from './log.ts'
import { VERSION } from './version.ts'

const GRACE_MILLISECONDS = 5000
const KEYS_ARE_KEPT_FOR = 7 * 24 * 3600 * 1000
const clock = { now: () => Date.now() }

export interface Daemon {
  readonly status: DaemonStatus
  stop(): void
  /** Resolves when everything is closed. */
  readonly stopped: Promise<void>
}

interface StartOptions {
  readonly home: Home
  readonly logLevel?: string
  /** For tests that need a database which misbehaves. */
  readonly openDatabase?: (home: Home) => Database | Promise<Database>
}

/** The composition root: the only place that knows all the parts. Undefined: another daemon holds the lock. */
export async function startDaemon(options: StartOptions): Promise<Daemon | undefined> {
  const { home } = options
  process.umask(0o077)
  preparePrivateFolders(home)
  const lock = takeLock(home.lock)
  if (lock === undefined) return undefined
  const log = openLog(home.log, options.logLevel)
  try {
    const database = await (options.openDatabase ?? openDatabase)(home)
    const store = await openStore(database, { clock })
    return await serve({ home, log, store, lock })
  } catch (error) {
    log.write('error', 'start failed', errorDetails(error))
    await log.close()
    lock.release()
    throw error
  }
}

const openDatabase = (home: Home) =>
  home.isPostgres ? openPostgres(home.database) : openSqlite(home.database)

interface Parts {
  readonly home: Home
  readonly log: Log
  readonly store: Store
  readonly lock: { release(): void }
}

async function serve(parts: Parts): Promise<Daemon> {
  const { home, log, store } = parts
  const started = clock.now()
  const done = Promise.withResolvers<void>()
  let stopping = false
  const stop = () => {
    if (stopping) return
    stopping = true
    shutDown(parts, server).then(done.resolve, done.reject)
  }
  const status = () => statusOf({ home, store, started, connections: server.connections })
  const infos = methods.map(describeMethod)
  const context: Context = {
    store,
    clock,
    newId: idMaker(clock),
    files: nodeFiles,
    daemon: { status, stop },
    methods: () => infos,
  }
  const server = new RpcServer({
    dispatch: (method, params, peer) => call(context, method, params, peer),
    toError(error) {
      if (!(error instanceof EngineError)) log.write('error', 'call failed', errorDetails(error))
      return toWire(error)
    },
  })
  await forgetOldKeys(store)
  await listen(server, home)
  writeFileSync(
    home.about,
    `${JSON.stringify({ pid: process.pid, version: VERSION, started_at: timestamp(started) })}\n`,
  )
  log.write('info', 'listening', { version: VERSION, socket: home.socket, database: store.database.location })
  return { status: status(), stop, stopped: done.promise }
}

/** Bound under a name of our own and then moved, so that a daemon that ends never removes its successor's socket. */
async function listen(server: RpcServer, home: Home): Promise<void> {
  const own = join(dirname(home.socket), `.${process.pid}.sock`)
  rmSync(own, { force: true })
  await server.listen(own)
  chmodSync(own, 0o600)
  renameSync(own, home.socket)
}

async function shutDown({ home, log, store, lock }: Parts, server: RpcServer): Promise<void> {
  log.write('info', 'stopping')
  // While the lock is ours the public name is ours too; callers that come now wait for a new daemon.
  rmSync(home.socket, { force: true })
  await server.close(GRACE_MILLISECONDS)
  await store.close()
  log.write('info', 'stopped')
  await log.close()
  lock.release()
}

async function forgetOldKeys(store: Store): Promise<void> {
  const before = timestamp(clock.now() - KEYS_ARE_KEPT_FOR)
  await store.transact((tx) => forgetKeysBefore(tx, { before }))
}

function statusOf(parts: { home: Home; store: Store; started: number; connections: number }): DaemonStatus {
  const { home, store, started, connections } = parts
  return {
    pid: process.pid,
    version: VERSION,
    node: process.version,
    socket: home.socket,
    database: store.database.location,
    database_kind: store.database.kind,
    home: home.folder,
    log: home.log,
    started_at: timestamp(started),
    uptime_seconds: Math.round((clock.now() - started) / 1000),
    connections,
    memory_bytes: process.memoryUsage.rss(),
  }
}
