import { EngineError, ERROR_CODES } from '../model/error.ts'
import { findHome } from './home.ts'
import { type Daemon, startDaemon } from './main.ts'

/** What `holdfast daemon run` does: be the daemon until told to stop; gives the exit code. */
export async function runDaemon(env: Readonly<Record<string, string | undefined>>): Promise<number> {
  // Whoever started us may be gone, and with it the other end of our stderr.
  process.stderr.on('error', () => undefined)
  const home = findHome(env)
  const daemon = await startDaemon({
    home,
    ...(env['HOLDFAST_LOG'] !== undefined && { logLevel: env['HOLDFAST_LOG'] }),
  }).catch(explainAndExit)
  if (daemon === undefined) {
    process.stderr.write(`A daemon already serves ${home.folder}.\n`)
    return 0
  }
  stopOnSignals(daemon)
  await daemon.stopped
  return 0
}

function stopOnSignals(daemon: Daemon): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => daemon.stop())
  process.on('SIGHUP', () => undefined)
}

function explainAndExit(error: unknown): never {
  const known = error instanceof EngineError
  const hint = known && error.hint !== undefined ? `\n${error.hint}` : ''
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}${hint}\n`)
  process.exit(known ? ERROR_CODES[error.code].exit : ERROR_CODES.internal.exit)
}
