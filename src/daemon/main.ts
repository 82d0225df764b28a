import { chmodSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, parse } from 'node:path'
import { clients } from '../clients/index.ts'
import { call } from '../engine/call.ts'
import type { Context, DaemonStatus } from '../engine/context.ts'
import { methods } from '../engine/index.ts'
import { describeMethod, type MethodInfo } from '../engine/method.ts'
import { nodeFiles } from '../files/node.ts'
import { timestamp } from '../model/clock.ts'
import { EngineError, toWire } from '../model/error.ts'
import { idMaker } from '../model/id.ts'
import type { Peer } from '../rpc/answer.ts'
import type { HttpOptions } from '../rpc/http.ts'
import { RpcServer } from '../rpc/serve.ts'
import type { Database } from '../store/database.ts'
import { forgetKeysBefore } from '../store/key.ts'
import { openSqlite } from '../store/sqlite.ts'
import { keepSetting } from '../store/setting.ts'
import { openStore, type Store } from '../store/store.ts'
import { Door } from './door.ts'
import type { Home } from './home.ts'
import { HookFaults } from './hook-faults.ts'
import { claimHome, type Lock } from './lock.ts'
import { errorDetails, type Log, openLog } from './log.ts'
import { watchDatabase } from './own-database.ts'
import { pauseReader } from './pause.ts'
import { watchSilence } from './silence.ts'
import { openSkillFolders } from './skills.ts'
import { VERSION } from './version.ts'

const GRACE_MILLISECONDS = 5000
const HOOK_METHOD = 'hooks.handle'
const LINE_METHOD = 'statusline.show'
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
  /** Of a caller who has claimed the home already. */
  readonly lock?: Lock
  readonly logLevel?: string
  /** For tests that need a database which misbehaves. */
  readonly openDatabase?: (home: Home) => Database | Promise<Database>
  /** For tests of what stands before the engine. */
  readonly callMethod?: typeof call
}

/** The composition root: the only place that knows all the parts. Undefined: another daemon holds the lock. */
export async function startDaemon(options: StartOptions): Promise<Daemon | undefined> {
  const { home } = options
  const lock = options.lock ?? claimHome(home)
  if (lock === undefined) return undefined
  const log = openLog(home.log, options.logLevel)
  let store: Store | undefined
  try {
    store = await openStore(await (options.openDatabase ?? openDatabase)(home), { clock })
    const value = String(home.staleAfterSeconds)
    await store.transact((tx) => keepSetting(tx, { name: 'stale_after_seconds', value }))
    return await serve({ home, log, store, lock, callMethod: options.callMethod ?? call })
  } catch (error) {
    log.write('error', 'start failed', errorDetails(error))
    await store?.close().catch(() => undefined)
    log.close()
    lock.release()
    throw error
  }
}

async function openDatabase(home: Home): Promise<Database> {
  if (!home.isPostgres) return openEmbedded(home.database)
  // Only who has a PostgreSQL waits for its driver.
  const { openPostgres } = await import('../store/postgres.ts')
  return await openPostgres(home.database)
}

function openEmbedded(path: string): Database {
  try {
    return openSqlite(path)
  } catch (error) {
    if (!(error instanceof EngineError && error.cause instanceof Error)) throw error
    throw new EngineError(error.code, `${path} cannot be used: ${error.cause.message}.`, {
      cause: error.cause,
      hint: `Move it away, or bring back a copy: ls ${path}*`,
    })
  }
}

interface Parts {
  readonly home: Home
  readonly log: Log
  readonly store: Store
  readonly lock: Lock
  readonly callMethod: typeof call
}

async function serve(parts: Parts): Promise<Daemon> {
  const { home, log, store } = parts
  const started = clock.now()
  const done = Promise.withResolvers<void>()
  let stopping = false
  const stop = () => {
    if (stopping) return
    stopping = true
    skills.close()
    database.stop()
    shutDown(parts, [server, door]).then(done.resolve, done.reject)
  }
  // Nothing more is acknowledged that would be lost; whoever comes next starts a daemon with what is there now.
  const database = watchDatabase(home, () => {
    log.write('error', 'database gone', { message: `${home.database} was removed or replaced.` })
    stop()
  })
  const skills = openSkillFolders({ home, log, store, context: () => context })
  const pausedUntil = pauseReader(home)
  let hooks = 0
  let infos: readonly MethodInfo[] | undefined
  const context: Context = {
    store,
    clock,
    newId: idMaker(clock),
    files: nodeFiles,
    user: home.user,
    clients,
    skillFolders: skills.folders,
    daemon: { status: () => status, stop, rotateTokens: () => door.rotate() },
    pausedUntil: () => pausedUntil(clock.now()),
    staleAfterSeconds: home.staleAfterSeconds,
    // Made when somebody asks, because making all the schemas takes a fifth as long as a start.
    methods: () => (infos ??= methods.map(describeMethod)),
  }
  const dispatch: Dispatch = (method, params, peer) => {
    if (method === HOOK_METHOD || method === LINE_METHOD) hooks++
    return parts.callMethod(context, method, params, peer)
  }
  const toError = (error: unknown) => {
    if (!(error instanceof EngineError)) log.write('error', 'call failed', errorDetails(error))
    return toWire(error)
  }
  const faults = new HookFaults(log, () => pausedUntil(clock.now()) !== undefined)
  const server = new RpcServer({ dispatch: noting(faults, dispatch), toError })
  const door = new Door({ home, log, faults, dispatch, toError, ...clientsOver(dispatch) })
  const status = statusOf(parts, { server, door, faults, started, hooks: () => hooks })
  await listen(server, home)
  door.openSoon()
  watchSilence(context, log, done.promise)
  writeFileSync(
    home.about,
    `${JSON.stringify({ pid: process.pid, version: VERSION, started_at: timestamp(started) })}\n`,
  )
  log.write('info', 'listening', { version: VERSION, socket: home.socket, database: store.database.location })
  // Nobody waits for this, and what fails now is tried again at the next start.
  skills.resume().catch((error: unknown) => log.write('warn', 'skills not read', errorDetails(error)))
  forgetOldKeys(store).catch((error: unknown) => log.write('warn', 'old keys stay', errorDetails(error)))
  return { status, stop, stopped: done.promise }
}

type Dispatch = (method: string, params: unknown, peer: Peer) => Promise<unknown>

/** A hook is one call, whose reply is what the client is told, and so is a status line. */
function clientsOver(dispatch: Dispatch): Pick<HttpOptions, 'handleHook' | 'handleLine'> {
  const nobody = { notify: () => Promise.resolve(), gone: new AbortController().signal }
  const tell = (method: string, client: string, payload: unknown, deadline: number) =>
    dispatch(method, { client, payload }, { ...nobody, deadline })
  return {
    handleHook: async (...told) => ((await tell(HOOK_METHOD, ...told)) as { reply?: unknown }).reply,
    handleLine: async (...told) => ((await tell(LINE_METHOD, ...told)) as { line: string }).line,
  }
}

/** Over the socket a failure is told to its caller, but a hook's caller is a client that shows it to nobody. */
function noting(faults: HookFaults, dispatch: Dispatch): Dispatch {
  return async (method, params, peer) => {
    if (method !== HOOK_METHOD) return await dispatch(method, params, peer)
    try {
      return await dispatch(method, params, peer)
    } catch (cause) {
      const { client } = Object(params) as { client?: unknown }
      faults.note({ client: String(client), problem: 'The hook failed.', cause })
      throw cause
    }
  }
}

/** Bound under a name of our own and then moved, so that a daemon that ends never removes its successor's socket. */
async function listen(server: RpcServer, home: Home): Promise<void> {
  const { dir, name } = parse(home.socket)
  // Those of daemons that were killed before they had moved it; the lock says that none of them lives.
  const left = new RegExp(`^${name}\\.\\d+$`)
  for (const file of readdirSync(dir)) if (left.test(file)) rmSync(join(dir, file))
  const own = join(dir, `${name}.${process.pid}`)
  await server.listen(own)
  chmodSync(own, 0o600)
  renameSync(own, home.socket)
}

async function shutDown(
  { home, log, store, lock }: Parts,
  doors: readonly { close(graceMilliseconds: number): Promise<void> }[],
): Promise<void> {
  log.write('info', 'stopping')
  // While the lock is ours the public name is ours too; callers that come now wait for a new daemon.
  rmSync(home.socket, { force: true })
  try {
    await Promise.all(doors.map((door) => door.close(GRACE_MILLISECONDS)))
    await store.close()
    log.write('info', 'stopped')
  } catch (error) {
    log.write('error', 'stop failed', errorDetails(error))
    throw error
  } finally {
    log.close()
    lock.release()
  }
}

async function forgetOldKeys(store: Store): Promise<void> {
  const before = timestamp(clock.now() - KEYS_ARE_KEPT_FOR)
  await store.transact((tx) => forgetKeysBefore(tx, { before }))
}

interface Served {
  readonly server: RpcServer
  readonly door: Door
  readonly faults: HookFaults
  readonly started: number
  readonly hooks: () => number
}

/** What changes is looked up when it is read, so that a ping costs nothing of it. */
function statusOf({ home, store }: Parts, { server, door, faults, started, hooks }: Served): DaemonStatus {
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
    get uptime_seconds() {
      return Math.round((clock.now() - started) / 1000)
    },
    get connections() {
      return server.connections
    },
    get memory_bytes() {
      return process.memoryUsage.rss()
    },
    get http() {
      return door.status
    },
    get hooks() {
      return hooks()
    },
    get hook_faults() {
      return faults.status ?? null
    },
  }
}
