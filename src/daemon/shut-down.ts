import { rmSync } from 'node:fs'
import { errorDetails } from './log.ts'
import type { Parts } from './parts.ts'

const GRACE_MILLISECONDS = 5000

interface Closing {
  /** Closed together, after they answer the calls in progress. */
  readonly doors: readonly { close(graceMilliseconds: number): Promise<void> }[]
  readonly jobs: { stop(patienceMilliseconds: number): Promise<void> }
  /** Whether a successor listens on the same socket. */
  readonly isFollowed: boolean
}

/**
 * Stops a daemon: it answers its callers first and releases the lock last. Returns whether the database stays open
 * until the process ends.
 */
export async function shutDown({ home, log, store, lock }: Parts, closing: Closing): Promise<boolean> {
  const { doors, jobs, isFollowed } = closing
  const doubt = store.database.files?.doubt()
  const leavesOpen = () => store.database.files?.doubt()?.isContent === true
  log.write('info', 'stopping')
  // We own the socket path while we hold the lock, which is in doubt too; new callers wait for a new daemon.
  if (!isFollowed && doubt === undefined) rmSync(home.socket, { force: true })
  try {
    await Promise.all(doors.map((door) => door.close(GRACE_MILLISECONDS)))
    // Jobs stop after the servers, because the last answers must be flushed too.
    await jobs.stop(GRACE_MILLISECONDS)
    await store.close()
    log.write('info', 'stopped')
    return leavesOpen()
  } catch (error) {
    log.write('error', 'stop failed', errorDetails(error))
    throw error
  } finally {
    log.close()
    // With a connection left open, only the end of the process lets the next daemon in.
    if (!leavesOpen()) lock.release()
  }
}
