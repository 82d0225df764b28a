import { once } from 'node:events'
import { appendFileSync, existsSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from '../model/client-files.ts'
import { EngineError, ERROR_CODES, knownError } from '../model/error.ts'
import { type Inherited, READY } from './hand-over.ts'
import { configPath, findHome, type Home } from './home.ts'
import { durableEntry, keepLauncher } from './launcher.ts'
import { claimHome, type Lock } from './lock.ts'
import { errorDetails, logLine } from './log.ts'
import type { Daemon } from './main.ts'

const COMPILED_BY_MILLISECONDS = 1000
const SUCCEED_WITHIN_MILLISECONDS = 60_000
const LOOK_EVERY_MILLISECONDS = 5

/** The environment of this process, and the script that it runs. */
interface Started {
  readonly env: Environment
  readonly entry: string
}

/** Runs the daemon until it stops, as `holdfast daemon run`; returns the exit code. */
export async function runDaemon({ env: given, entry }: Started, inherited?: Inherited): Promise<number> {
  // The parent process may exit and close the other end of our output.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  const signals = listenForSignals()
  const env = await configured(given)
  const home = findHome(env)
  const daemon = await start(home, { env, entry }, inherited).catch(explainAndExit)
  if (daemon === undefined) {
    process.stderr.write(`A daemon already serves ${home.folder}.\n`)
    return 0
  }
  signals.stop(daemon)
  // Node saves its compile cache at exit, but a daemon may be killed.
  setTimeout(flushCompileCache, COMPILED_BY_MILLISECONDS).unref()
  const leavesOpen = await daemon.stopped
  // Ending by itself, Node would close the database, which then takes a wrong log.
  if (leavesOpen) process.exit(ERROR_CODES.unavailable.exit)
  return 0
}

/** Most users have no config file, and need no parser for it. */
async function configured(env: Environment): Promise<Environment> {
  const path = configPath(env)
  return existsSync(path) ? (await import('../files/config.ts')).withUserConfig(env, path) : env
}

async function start(
  home: Home,
  { env, entry }: Started,
  inherited: Inherited | undefined,
): Promise<Daemon | undefined> {
  // Only the holder of the lock loads the engine; a successor loads it before it waits.
  if (inherited !== undefined) await import('./main.ts')
  const lock = inherited === undefined ? claimHome(home) : await succeed(home)
  if (lock === undefined) return undefined
  if (lock.isNew && inherited === undefined && (await isServed(home))) {
    lock.release()
    return undefined
  }
  // The stderr of a daemon is not read, so crashes go to the log.
  process.on('uncaughtExceptionMonitor', (error) =>
    appendFileSync(home.log, logLine('error', 'crashed', errorDetails(error)), { mode: 0o600 }),
  )
  launchable(home, { env, entry })
  const { HOLDFAST_LOG: logLevel } = env
  const { startDaemon } = await import('./main.ts')
  return await startDaemon({
    home,
    lock,
    ...(logLevel !== undefined && logLevel !== '' && { logLevel }),
    ...(inherited !== undefined && { inherited }),
  })
}

/** INV_DAEMON_IS_THE_LOCK also without its file: a daemon whose lock was removed stops before another one starts. */
async function isServed({ socket }: Home): Promise<boolean> {
  const { connect } = await import('node:net')
  const connection = connect(socket)
  return await once(connection, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => connection.destroy())
}

/** Before any caller looks for it; a daemon without it works, and doctor reports it. */
function launchable(home: Home, { env, entry }: Started): void {
  try {
    keepLauncher(home, { node: process.execPath, entry: durableEntry(entry, env) })
  } catch {
    // A full or read-only disk must not stop the daemon.
  }
}

/** Lets the previous daemon stop, and takes the lock as soon as it is free. */
async function succeed(home: Home): Promise<Lock> {
  process.stdout.write(`${READY}\n`)
  const giveUp = performance.now() + SUCCEED_WITHIN_MILLISECONDS
  while (performance.now() < giveUp) {
    const lock = claimHome(home, 0)
    if (lock !== undefined) return lock
    await sleep(LOOK_EVERY_MILLISECONDS)
  }
  throw new EngineError('timeout', 'The previous daemon did not stop.', {
    hint: 'holdfast daemon stop --force',
  })
}

/** Listens from the beginning: a signal during the start stops the daemon once it has started. */
function listenForSignals(): { stop(daemon: Daemon): void } {
  const asked = Promise.withResolvers<void>()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => asked.resolve())
  process.on('SIGHUP', () => undefined)
  return { stop: (daemon) => void asked.promise.then(() => daemon.stop()) }
}

function explainAndExit(error: unknown): never {
  const known = knownError(error)
  const hint = known?.hint === undefined ? '' : `\n${known.hint}`
  process.stderr.write(
    `${known?.message ?? (error instanceof Error ? error.message : String(error))}${hint}\n`,
  )
  process.exit(ERROR_CODES[known?.code ?? 'internal'].exit)
}
