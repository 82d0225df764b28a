import type { Home } from '../../daemon/home.ts'
import { EngineError } from '../../model/error.ts'
import { shellWord } from '../../model/shell/word.ts'
import { ConnectionLost } from '../../rpc/connect.ts'
import { connectTo, unlessStuck } from './connect.ts'
import { foreignDaemon, livingDaemon, untilGone } from './process.ts'

/** Stops the daemon and waits for its end; returns its pid, or undefined if none was running. */
export async function stopDaemon(home: Home): Promise<number | undefined> {
  for (;;) {
    const connection = await connectTo(home)
    if (connection === undefined) return undefined
    const answer = connection.call('daemon.stop').catch((error: unknown) => {
      // Another client stopped it at the same moment; ask again if it still runs.
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

/** Kills a daemon of this home that does not answer; returns its pid, or undefined if none is running. */
export async function killDaemon(home: Home): Promise<number | undefined> {
  const foreign = foreignDaemon(home)
  if (foreign !== undefined)
    throw new EngineError(
      'conflict',
      `${home.about} names process ${foreign}, which is a daemon of another home; nothing was stopped.`,
      { hint: `rm ${shellWord(home.about)}` },
    )
  const pid = livingDaemon(home)
  if (pid === undefined) return undefined
  process.kill(pid, 'SIGKILL')
  await untilGone(pid)
  return pid
}
