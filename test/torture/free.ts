import { setTimeout as sleep } from 'node:timers/promises'
import { connectTo } from '../../src/cli/daemon/connect.ts'
import type { Home } from '../../src/daemon/home.ts'
import { claimHome } from '../../src/daemon/lock.ts'

/** Waits until the kernel has freed all resources of a killed daemon: first its lock, a moment later its socket. */
export async function untilFree(home: Home): Promise<void> {
  for (;;) {
    const lock = claimHome(home)
    lock?.release()
    const connection = lock && (await connectTo(home).catch(() => undefined))
    connection?.close()
    if (lock !== undefined && connection === undefined) return
    await sleep(10)
  }
}
