import { setTimeout as sleep } from 'node:timers/promises'
import type { Home } from '../../daemon/home.ts'
import { claimHome, claimTurn, type Lock } from '../../daemon/lock.ts'
import { EngineError } from '../../model/error.ts'
import { stopDaemon } from './stop.ts'

const PATIENCE_MILLISECONDS = 30_000
const LOOK_EVERY_MILLISECONDS = 20

/** Stops the daemon and works in its place: nobody else can start one meanwhile. Returns whether one was running. */
export async function insteadOfDaemon<T>(
  home: Home,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly wasRunning: boolean }> {
  // Callers start no daemon while somebody else has the turn.
  const turn = await untilHeld(() => claimTurn(home))
  let lock: Lock | undefined
  let wasRunning = false
  try {
    lock = await untilHeld(async () => {
      if ((await stopDaemon(home)) !== undefined) wasRunning = true
      return claimHome(home)
    })
    return { result: await work(), wasRunning }
  } finally {
    lock?.release()
    turn.release()
  }
}

async function untilHeld(claim: () => Lock | undefined | Promise<Lock | undefined>): Promise<Lock> {
  const giveUp = Date.now() + PATIENCE_MILLISECONDS
  for (; Date.now() < giveUp; await sleep(LOOK_EVERY_MILLISECONDS)) {
    const lock = await claim()
    if (lock !== undefined) return lock
  }
  throw new EngineError('timeout', 'Another process keeps starting the daemon. Nothing was changed.', {
    hint: 'holdfast daemon status',
  })
}
