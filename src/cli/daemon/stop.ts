import type { Home } from '../../daemon/home.ts'
import { ConnectionLost } from '../../rpc/connect.ts'
import { connectTo, unlessStuck } from './connect.ts'
import { livingDaemon, untilGone } from './process.ts'

/** Asks the running daemon to stop and waits until it has; its pid, or undefined where none ran. */
export async function stopDaemon(home: Home): Promise<number | undefined> {
  for (;;) {
    const connection = await connectTo(home)
    if (connection === undefined) return undefined
    const answer = connection.call('daemon.stop').catch((error: unknown) => {
      // Somebody else has ended it at the same moment; it is asked again if it is still there.
      if (error instanceof ConnectionLost) return undefined
      throw error
    })
    const stopping = (await unlessStuck(home, connection, answer)) as { pid: number } | undefined
    await connection.closed
    if (stopping === undefined) continue
    await untilGone(stopping.pid)
    return stopping.pid
  }
}

/** Ends a daemon that does not answer; its pid, or undefined where none is known that still lives. */
export async function killDaemon(home: Home): Promise<number | undefined> {
  const pid = livingDaemon(home)
  if (pid === undefined) return undefined
  process.kill(pid, 'SIGKILL')
  await untilGone(pid)
  return pid
}
