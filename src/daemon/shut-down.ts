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

/** Stops a daemon: it answers its callers first and releases the lock last. */
export async function shutDown({ home, log, store, lock }: Parts, closing: Closing): Promise<void> {
  const { doors, jobs, isFollowed } = closing
  log.write('info', 'stopping')
  // We own the socket path while we hold the lock; new callers wait for a new daemon.
  if (!isFollowed) rmSync(home.socket, { force: true })
  try {
    await Promise.all(doors.map((door) => door.close(GRACE_MILLISECONDS)))
    // Jobs stop after the servers, because the last answers must be flushed too.
    await jobs.stop(GRACE_MILLISECONDS)
    await store.close()
    log.write('info', 'stopped')
  } catch (error) {
    log.write('error', 'stop failed', errorDetails(error))
    throw error
  } finally {
    log.close()
    lock.release()
  }
}
