import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** What of the machine is looked at beside the home; a test has its own. */
export interface Machine {
  readonly platform: string
  /** What is mounted where, as the system tells it. */
  mounts(): string
  /** Where an organisation's settings of a client lie, in the place where they are looked for. */
  managed(path: string): string
}

export const thisMachine: Machine = {
  platform: process.platform,
  mounts: () =>
    existsSync('/proc/self/mountinfo')
      ? readFileSync('/proc/self/mountinfo', 'utf8')
      : spawnSync('mount', { encoding: 'utf8' }).stdout,
  managed: (path) => path,
}
