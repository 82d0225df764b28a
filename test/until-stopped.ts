import type { startDaemon } from '../src/daemon/main.ts'

/** Serves until SIGTERM, as the process of a test daemon. */
export function untilStopped(starting: ReturnType<typeof startDaemon>): void {
  void starting.then((daemon) => process.on('SIGTERM', () => daemon?.stop()))
}
