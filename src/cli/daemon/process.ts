import { lstatSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Home } from '../../daemon/home.ts'
import { EngineError } from '../../model/error.ts'

/** The pid of a running daemon whose socket is missing; waits for a daemon that is stopping. */
export async function lostDaemon(home: Home): Promise<number | undefined> {
  const lost = () =>
    lstatSync(home.socket, { throwIfNoEntry: false }) === undefined ? livingDaemon(home) : undefined
  for (let looks = 0; looks < MOST_LOOKS && lost() !== undefined; looks++)
    await sleep(LOST_EVERY_MILLISECONDS)
  return lost()
}

/** A stopping daemon removes its socket first, and may then take five seconds. */
const [MOST_LOOKS, LOST_EVERY_MILLISECONDS] = [70, 100]

/** The pid of the last daemon of this home, from its file. */
export function pidOf({ about }: Home): number | undefined {
  try {
    return (JSON.parse(readFileSync(about, 'utf8')) as { pid: number }).pid
  } catch {
    return undefined
  }
}

/** The pid of the last daemon of this home, if it is running. */
export function livingDaemon(home: Home): number | undefined {
  const pid = pidOf(home)
  return pid !== undefined && isAlive(pid) && isDaemon(pid) ? pid : undefined
}

/** The system may have given the pid to another program. */
const isDaemon = (pid: number): boolean => commandOf(pid).includes(' daemon run')

/** The words of a process. */
export const commandOf = (pid: number): string =>
  process.platform === 'linux'
    ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    : process
        .getBuiltinModule('node:child_process')
        .spawnSync('ps', ['-o', 'command=', '-p', `${pid}`], { encoding: 'utf8' }).stdout

/** Waits up to ten seconds until a process has ended. */
export async function untilGone(pid: number): Promise<void> {
  for (let looks = 0; looks < 1000; looks++) {
    if (!isAlive(pid)) return
    await sleep(10)
  }
  throw new EngineError('timeout', `The daemon (pid ${pid}) is still stopping.`, { hint: `kill ${pid}` })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A container may keep zombies; the state follows the name, which may contain any character.
    return process.platform !== 'linux' || !/\) [ZX] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
