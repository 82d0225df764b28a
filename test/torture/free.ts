import { setTimeout as sleep } from 'node:timers/promises'
import type { Home } from '../../src/daemon/home.ts'
import { claimHome } from '../../src/daemon/lock.ts'

/** Waits until the kernel has freed all resources of a killed daemon. */
export async function untilFree(home: Home): Promise<void> {
  for (;;) {
    const lock = claimHome(home)
    lock?.release()
    if (lock !== undefined) return
    await sleep(10)
  }
}
