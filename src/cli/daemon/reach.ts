import { setTimeout as sleep } from 'node:timers/promises'
import { preparePrivateFolders } from '../../daemon/home.ts'
import type { RpcConnection } from '../../rpc/connect.ts'
import { connectTo, type OnNotification, unlessStuck, unreachable } from './connect.ts'
import { type Launch, startDaemonProcess, startFailure } from './start.ts'
import { handsOver } from './upgrade.ts'

const PATIENCE_MILLISECONDS = 30_000
const LOOK_EVERY_MILLISECONDS = 15
/** Delay before another start, if a new daemon gave way to one that may be stopping. */
const AGAIN_AFTER_MILLISECONDS = 250

/** Connects to the daemon, and starts it if needed. */
export async function reach(launch: Launch, onNotification?: OnNotification): Promise<RpcConnection> {
  const { home } = launch
  const running = await connectTo(home, onNotification)
  if (running !== undefined) {
    const next = unlessStuck(home, running, handsOver(launch, running))
    if (!(await next)) return running
    const successor = await connectTo(home, onNotification)
    if (successor !== undefined) return successor
  }
  launch.onStart?.()
  preparePrivateFolders(home)
  // Imported late, because a running daemon makes it unnecessary.
  const { claimTurn } = await import('../../daemon/lock.ts')
  const giveUp = Date.now() + PATIENCE_MILLISECONDS
  let turn: ReturnType<typeof claimTurn>
  let starting: Awaited<ReturnType<typeof startDaemonProcess>> | undefined
  let again = 0
  try {
    for (; Date.now() < giveUp; await sleep(LOOK_EVERY_MILLISECONDS)) {
      // Only one of many concurrent commands starts the daemon; the others wait.
      turn ??= claimTurn(home)
      const connection = await connectTo(home, onNotification)
      if (connection !== undefined) {
        await starting?.withdraw(connection)
        return connection
      }
      const exit = starting?.exit()
      if (exit?.failed === true) throw startFailure(home, exit)
      if (exit !== undefined) {
        starting = undefined
        again = Date.now() + AGAIN_AFTER_MILLISECONDS
      }
      if (turn !== undefined && starting === undefined && Date.now() >= again)
        starting = await startDaemonProcess(launch)
    }
    throw unreachable(home, 'it did not answer in time')
  } finally {
    starting?.letGo()
    turn?.release()
  }
}
