import { writeFileSync } from 'node:fs'
import { call } from '../engine/call/call.ts'
import type { DaemonProgram, DaemonStatus } from '../engine/call/context.ts'
import type { CallerLimits } from '../rpc/callers.ts'
import type { Store } from '../store/store.ts'
import { assemble } from './assemble.ts'
import { Ballast } from './ballast.ts'
import { besideCheck } from './beside-check.ts'
import { doorsOf, HandOver, type Inherited } from './hand-over.ts'
import type { Home } from './home.ts'
import { jobs } from './jobs/index.ts'
import type { Job, JobNeeds } from './jobs/job.ts'
import { startJobs } from './jobs/start-jobs.ts'
import { checkLaunched } from './launcher.ts'
import { claimHome, type Lock } from './lock.ts'
import { errorDetails, openLog } from './log.ts'
import { type OpenDatabase, openStoreOf } from './open-store.ts'
import type { Parts } from './parts.ts'
import { shutDown } from './shut-down.ts'
import { listen } from './socket.ts'

export interface Daemon {
  readonly status: DaemonStatus
  stop(): void
  /** Resolves after everything is closed; with true, the process must exit without closing the database. */
  readonly stopped: Promise<boolean>
}

interface StartOptions {
  readonly home: Home
  /** The lock of a caller that has already claimed the home. */
  readonly lock?: Lock
  readonly logLevel?: string
  /** The sockets of a daemon that hands over to this one. */
  readonly inherited?: Inherited
  /** For tests with a failing database. */
  readonly openDatabase?: OpenDatabase
  /** For tests of the layers around the engine. */
  readonly callMethod?: typeof call
  /** For tests with a daemon that keeps idle callers. */
  readonly callers?: Partial<CallerLimits>
  /** For tests with failing jobs. */
  readonly jobs?: readonly Job<JobNeeds>[]
}

/** The composition root, the only place that knows all parts. Returns undefined if another daemon holds the lock. */
export async function startDaemon(options: StartOptions): Promise<Daemon | undefined> {
  const { home, openDatabase: open, callMethod = call, inherited, callers = {} } = options
  const lock = options.lock ?? claimHome(home)
  if (lock === undefined) return undefined
  const log = openLog(home.log, options.logLevel === undefined ? {} : { least: options.logLevel })
  const ballast = new Ballast({ home, log })
  let store: Store | undefined
  try {
    store = await openStoreOf({ home, log, ballast, open, mayWait: inherited !== undefined })
    const parts = { home, log, store, lock, ballast, callMethod, inherited, callers }
    return await serve(parts, options.jobs ?? jobs)
  } catch (error) {
    log.write('error', 'start failed', errorDetails(error))
    await store?.close().catch(() => undefined)
    log.close()
    lock.release()
    throw error
  }
}

async function serve(parts: Parts, list: readonly Job<JobNeeds>[]): Promise<Daemon> {
  const { home, log, store, inherited } = parts
  const done = Promise.withResolvers<boolean>()
  const handOver = new HandOver()
  let stopping = false
  const check = besideCheck(parts)
  const stop = () => {
    if (stopping) return
    stopping = true
    handOver.cancel()
    skills.close()
    index.close()
    shutDown(parts, {
      doors: [server, door, check, memory],
      jobs: running,
      isFollowed: handOver.isReady,
    }).then(done.resolve, done.reject)
  }
  const startSuccessor = async (program: DaemonProgram) => {
    checkLaunched(home, program)
    await door.open()
    door.leave(true)
    return await handOver.start(program, doorsOf(server, door)).catch((error: unknown) => {
      door.leave(false)
      log.write('warn', 'not handed over', errorDetails(error))
      throw error
    })
  }
  const { skills, index, memory, server, door, status, ...rest } = assemble(parts, { stop, startSuccessor })
  const running = startJobs(list, { ...parts, ...rest, skillFolders: skills.folders, stop }, log)
  // Written before listening, so that every caller finds it.
  const { pid, version, started_at } = status
  writeFileSync(home.about, `${JSON.stringify({ pid, version, started_at })}\n`)
  await door.hold()
  await (inherited === undefined ? listen(server, home) : server.listen({ fd: inherited.socket })).catch(
    async (error: unknown) => {
      await Promise.all([running.stop(0), door.close(0)])
      throw error
    },
  )
  door.openSoon()
  log.write('info', 'listening', { version, socket: home.socket, database: store.database.location })
  check.begin()
  memory.resume()
  // Runs in the background; the next start repeats whatever fails.
  skills.resume().catch((error: unknown) => log.write('warn', 'skills not read', errorDetails(error)))
  return { status, stop, stopped: done.promise }
}
