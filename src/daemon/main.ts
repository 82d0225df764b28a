import { rules } from '../rules/index.ts'
import { rmSync, writeFileSync } from 'node:fs'
import { clients } from '../clients/index.ts'
import { call } from '../engine/call/call.ts'
import type { Context, DaemonPort, DaemonProgram, DaemonStatus } from '../engine/call/context.ts'
import { methodsByName } from '../engine/methods/index.ts'
import { nodeFiles } from '../files/node.ts'
import { timestamp } from '../model/clock.ts'
import { EngineError, toWire } from '../model/error.ts'
import { shellWord } from '../model/shell/word.ts'
import { idMaker } from '../model/id.ts'
import { RpcServer } from '../rpc/serve.ts'
import type { Database } from '../store/database.ts'
import { forgetKeysBefore } from '../store/key.ts'
import { openSqlite } from '../store/sqlite.ts'
import { keepSetting } from '../store/setting.ts'
import { openStore, type Store } from '../store/store.ts'
import { Ballast, withBallast } from './ballast.ts'
import { Descriptors } from './descriptors.ts'
import { Door } from './door.ts'
import { HandOver, type Inherited } from './hand-over.ts'
import type { Home } from './home.ts'
import {
  type Dispatch,
  HOOK_METHOD,
  clientsOver,
  LINE_METHOD,
  noting,
  withoutPrograms,
} from './hook-calls.ts'
import { HookFaults } from './hook-faults.ts'
import { watchIdle } from './idle.ts'
import { claimHome, type Lock } from './lock.ts'
import { errorDetails, type Log, openLog } from './log.ts'
import { watchDatabase } from './own-database.ts'
import { pauseReader } from './pause.ts'
import { watchSilence } from './silence.ts'
import { openSkillFolders } from './skills.ts'
import { listen } from './socket.ts'
import { statusOf } from './status.ts'
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
  /** Of a caller who has claimed the home already. */
  readonly lock?: Lock
  readonly logLevel?: string
  /** Of a daemon that hands over to this one. */
  readonly inherited?: Inherited
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
  const log = openLog(home.log, options.logLevel === undefined ? {} : { least: options.logLevel })
  const ballast = new Ballast({ home, log })
  let store: Store | undefined
  try {
    const database = await (options.openDatabase ?? openDatabase)(home)
    store = await openStore(withBallast(database, ballast), { clock })
    const value = String(home.staleAfterSeconds)
    await store.transact((tx) => keepSetting(tx, { name: 'stale_after_seconds', value }))
    const { callMethod = call, inherited } = options
    return await serve({ home, log, store, lock, ballast, callMethod, inherited })
  } catch (error) {
    log.write('error', 'start failed', errorDetails(error))
    await ballast.stop()
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
      hint: `Move it away, or bring back a copy: ls ${shellWord(path)}*`,
    })
  }
}

interface Parts {
  readonly home: Home
  readonly log: Log
  readonly store: Store
  readonly lock: Lock
  readonly ballast: Ballast
  readonly callMethod: typeof call
  readonly inherited: Inherited | undefined
}

async function serve(parts: Parts): Promise<Daemon> {
  const { home, log, store, inherited } = parts
  const started = clock.now()
  const done = Promise.withResolvers<void>()
  const handOver = new HandOver()
  let stopping = false
  const stop = () => {
    if (stopping) return
    stopping = true
    handOver.cancel()
    skills.close()
    for (const watch of watches) watch.stop()
    shutDown(parts, [server, door], handOver.isReady).then(done.resolve, done.reject)
  }
  const startSuccessor = (program: DaemonProgram) => {
    door.leave(true)
    return handOver.start(program, doorsOf(server, door)).catch((error: unknown) => {
      door.leave(false)
      log.write('warn', 'not handed over', errorDetails(error))
      throw error
    })
  }
  const { context, skills, server, door, status, calls, descriptors } = assemble(parts, {
    started,
    stop,
    startSuccessor,
  })
  const watches = [
    descriptors,
    watchSilence(context, log),
    // Nothing more is acknowledged that would be lost; whoever comes next starts a daemon with what is there now.
    watchDatabase(home, () => {
      log.write('error', 'database gone', { message: `${home.database} was removed or replaced.` })
      stop()
    }),
    watchIdle({
      home,
      store,
      calls,
      connections: () => server.connections,
      onIdle: () => {
        log.write('info', 'idle', { seconds: home.idleSeconds })
        stop()
      },
    }),
  ]
  // Whoever finds the socket finds this too.
  writeFileSync(
    home.about,
    `${JSON.stringify({ pid: process.pid, version: VERSION, started_at: timestamp(started) })}\n`,
  )
  await (inherited === undefined ? listen(server, home) : server.listen({ fd: inherited.socket }))
  door.openSoon()
  log.write('info', 'listening', { version: VERSION, socket: home.socket, database: store.database.location })
  // Nobody waits for this, and what fails now is tried again at the next start.
  skills.resume().catch((error: unknown) => log.write('warn', 'skills not read', errorDetails(error)))
  forgetOldKeys(store).catch((error: unknown) => log.write('warn', 'old keys stay', errorDetails(error)))
  return { status, stop, stopped: done.promise }
}

interface Life extends Pick<DaemonPort, 'stop' | 'startSuccessor'> {
  readonly started: number
}

/** The engine with what it needs, behind its doors, which are still shut. */
function assemble(parts: Parts, { started, stop, startSuccessor }: Life) {
  const { home, log, store, ballast } = parts
  const descriptors = new Descriptors(log)
  const refusal = () => descriptors.refusal()
  const skills = openSkillFolders({ home, log, store, context: () => context })
  const pausedUntil = pauseReader(home)
  let [calls, hooks] = [0, 0]
  const context: Context = {
    store,
    clock,
    newId: idMaker(clock),
    files: nodeFiles,
    user: home.user,
    clients,
    rules,
    skillFolders: skills.folders,
    daemon: { status: () => status, stop, rotateTokens: () => door.rotate(), startSuccessor },
    pausedUntil: () => pausedUntil(clock.now()),
    staleAfterSeconds: home.staleAfterSeconds,
    methods: methodsByName,
  }
  const dispatch: Dispatch = (method, params, peer) => {
    calls++
    if (method === HOOK_METHOD || method === LINE_METHOD) hooks++
    return parts.callMethod(context, method, params, peer)
  }
  const toError = (error: unknown) => {
    if (!(error instanceof EngineError)) log.write('error', 'call failed', errorDetails(error))
    return toWire(error)
  }
  const faults = new HookFaults(log, () => pausedUntil(clock.now()) !== undefined)
  const server = new RpcServer({ dispatch: noting(faults, dispatch), toError, refusal })
  const http = parts.inherited?.http
  const door = new Door({
    home,
    log,
    faults,
    dispatch: withoutPrograms(dispatch),
    toError,
    refusal,
    ...clientsOver(dispatch),
    ...(http !== undefined && { inherited: http }),
  })
  const status = statusOf({
    home,
    store,
    server,
    door,
    faults,
    ballast,
    descriptors,
    started,
    hooks: () => hooks,
  })
  return { context, skills, server, door, status, calls: () => calls, descriptors }
}

function doorsOf(server: RpcServer, door: Door): Inherited {
  const [socket, http] = [server.descriptor, door.descriptor]
  if (socket === undefined) throw new EngineError('unavailable', 'This daemon is stopping.')
  return { socket, ...(http !== undefined && { http }) }
}

async function shutDown(
  { home, log, store, lock, ballast }: Parts,
  doors: readonly { close(graceMilliseconds: number): Promise<void> }[],
  isFollowed: boolean,
): Promise<void> {
  log.write('info', 'stopping')
  // While the lock is ours the public name is ours too; callers that come now wait for a new daemon.
  if (!isFollowed) rmSync(home.socket, { force: true })
  try {
    await Promise.all(doors.map((door) => door.close(GRACE_MILLISECONDS)))
    await ballast.stop()
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
