import { rmSync } from 'node:fs'
import { errorDetails } from './log.ts'
import type { Parts } from './parts.ts'

const GRACE_MILLISECONDS = 5000

interface Closing {
  /** They are closed together, and answer what is under way. */
  readonly doors: readonly { close(graceMilliseconds: number): Promise<void> }[]
  readonly jobs: { stop(patienceMilliseconds: number): Promise<void> }
  /** Whether a successor listens on the same socket. */
  readonly isFollowed: boolean
}

/** Ends a daemon: its callers are answered first, and the lock is free last. */
export async function shutDown({ home, log, store, lock }: Parts, closing: Closing): Promise<void> {
  const { doors, jobs, isFollowed } = closing
  log.write('info', 'stopping')
  // While the lock is ours the public name is ours too; callers that come now wait for a new daemon.
  if (!isFollowed) rmSync(home.socket, { force: true })
  try {
    await Promise.all(doors.map((door) => door.close(GRACE_MILLISECONDS)))
    // Only now: what callers are still answered must be written within a second too.
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
