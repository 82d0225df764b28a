import { lstatSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Home } from '../../daemon/home.ts'
import { EngineError } from '../../model/error.ts'

/** The pid of a daemon that runs and cannot be reached, because its socket is gone; one that stops is waited for. */
export async function lostDaemon(home: Home): Promise<number | undefined> {
  const lost = () =>
    lstatSync(home.socket, { throwIfNoEntry: false }) === undefined ? livingDaemon(home) : undefined
  for (let looks = 0; looks < MOST_LOOKS && lost() !== undefined; looks++)
    await sleep(LOST_EVERY_MILLISECONDS)
  return lost()
}

/** A daemon that stops takes its socket away first, and may then finish for five seconds. */
const [MOST_LOOKS, LOST_EVERY_MILLISECONDS] = [70, 100]

/** The daemon that last served this home, as far as its file says. */
export function pidOf({ about }: Home): number | undefined {
  try {
    return (JSON.parse(readFileSync(about, 'utf8')) as { pid: number }).pid
  } catch {
    return undefined
  }
}

/** The pid of the daemon that last served this home, if it is still running. */
export function livingDaemon(home: Home): number | undefined {
  const pid = pidOf(home)
  return pid !== undefined && isAlive(pid) && isDaemon(pid) ? pid : undefined
}

/** A pid may have become another program's since it was written down. */
function isDaemon(pid: number): boolean {
  const command =
    process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      : process
          .getBuiltinModule('node:child_process')
          .spawnSync('ps', ['-o', 'command=', '-p', `${pid}`], { encoding: 'utf8' }).stdout
  return command.includes(' daemon run')
}

/** Waits until a process has ended, for ten seconds at most. */
export async function untilGone(pid: number): Promise<void> {
  for (let looks = 0; looks < 1000; looks++) {
    if (!isAlive(pid)) return
    await sleep(10)
  }
  throw new EngineError('timeout', `The daemon (pid ${pid}) is still finishing.`, { hint: `kill ${pid}` })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // In a container nobody may ever collect what has ended; the state follows the name, which may hold anything.
    return process.platform !== 'linux' || !/\) [ZX] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
