import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
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
    const { pid } = JSON.parse(readFileSync(about, 'utf8')) as { pid?: unknown }
    // A signal to 0 or less would reach many processes.
    return Number.isInteger(pid) && Number(pid) > 0 ? Number(pid) : undefined
  } catch {
    return undefined
  }
}

/** The pid of the last daemon of this home, if it is running. */
export function livingDaemon(home: Home): number | undefined {
  const pid = livingPid(home)
  return pid !== undefined && hasLockOpen(home, pid) ? pid : undefined
}

/** The pid of a daemon of another home, if our file names it. */
export function foreignDaemon(home: Home): number | undefined {
  const pid = livingPid(home)
  return pid === undefined || hasLockOpen(home, pid) ? undefined : pid
}

/** The system may have given the pid to another program. */
function livingPid(home: Home): number | undefined {
  const pid = pidOf(home)
  return pid !== undefined && isAlive(pid) && commandOf(pid).includes(' daemon run') ? pid : undefined
}

/** A daemon keeps the lock of its home open; a moved home takes its file along. */
function hasLockOpen({ folder, lock }: Home, pid: number): boolean {
  const path = join(realpathSync(folder), basename(lock))
  return openFiles(pid).some((file) => file === path || file === `${path} (deleted)`)
}

/** The paths of the files that a process of this user has open; empty for one of another user. */
function openFiles(pid: number): readonly string[] {
  if (process.platform !== 'linux')
    return process
      .getBuiltinModule('node:child_process')
      .spawnSync('lsof', ['-a', '-p', `${pid}`, '-Fn'], { encoding: 'utf8' })
      .stdout.split('\n')
      .map((line) => line.slice(1))
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).flatMap((name) => linkOf(join(folder, name)) ?? [])
  } catch {
    return []
  }
}

/** Undefined if it was closed meanwhile. */
function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

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
