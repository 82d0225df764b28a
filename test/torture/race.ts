import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findHome } from '../../src/daemon/home.ts'
import { claimHome } from '../../src/daemon/lock.ts'
import { type Finished, User } from '../holdfast.ts'

export interface RaceOptions {
  readonly rounds: number
  readonly callers: number
  readonly log: (line: string) => void
}

export interface RaceReport {
  readonly rounds: number
  readonly served: number
  readonly violations: readonly string[]
}

/** Many concurrent commands without a daemon; then the new daemon is killed, and it starts over. */
export async function raceRun({ rounds, callers, log }: RaceOptions): Promise<RaceReport> {
  await using user = new User()
  const violations: string[] = []
  let served = 0
  for (let round = 1; round <= rounds && violations.length === 0; round++) {
    const begun = Date.now()
    const ends = await Promise.all(
      Array.from({ length: callers }, () => user.process(['rpc', 'daemon.status'])),
    )
    served += ends.filter(({ code }) => code === 0).length
    violations.push(...(await judge(user, ends, round)))
    log(`round ${round}: ${callers} callers in ${Date.now() - begun} ms`)
  }
  return { rounds, served, violations }
}

async function judge(user: User, ends: readonly Finished[], round: number): Promise<readonly string[]> {
  const failed = ends.find(({ code }) => code !== 0)
  if (failed !== undefined) return [`a caller ended with ${failed.code}: ${failed.stderr}`]
  const [pid, ...others] = new Set(ends.map(({ stdout }) => (JSON.parse(stdout) as { pid: number }).pid))
  if (pid === undefined || others.length > 0) return [`served by ${[pid, ...others].join(' and ')}`]
  const home = findHome(user.env)
  const free = claimHome(home)
  free?.release()
  if (free !== undefined) return [`${pid} serves without the lock`]
  const log = readFileSync(join(home.folder, 'daemon.log'), 'utf8')
  const listening = log.split('\n').filter((line) => line.includes('"listening"')).length
  if (listening !== round) return [`${listening} daemons have listened in ${round} rounds`]
  process.kill(pid, 'SIGKILL')
  return await nobodyElse(user)
}

/** The kernel frees the lock of the killed daemon; any other holder would still hold it. */
async function nobodyElse(user: User): Promise<readonly string[]> {
  for (let looks = 0; looks < 200; looks++) {
    const lock = claimHome(findHome(user.env))
    lock?.release()
    if (lock !== undefined) return []
    await sleep(20)
  }
  return ['another daemon holds the lock']
}
