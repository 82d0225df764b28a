import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** The machine outside the home; tests provide their own. */
export interface Machine {
  readonly platform: string
  /** The mount table of the system. */
  mounts(): string
  /** The path of an organization's client settings. */
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
