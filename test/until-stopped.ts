import type { startDaemon } from '../src/daemon/main.ts'

/** Serves until SIGTERM, as a process that is a daemon of the tests' own. */
export function untilStopped(starting: ReturnType<typeof startDaemon>): void {
  void starting.then((daemon) => process.on('SIGTERM', () => daemon?.stop()))
}
