import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { VERSION } from '../../../daemon/version.ts'
import { isNewer } from '../../../model/version.ts'
import { allInstalled } from '../../install/installed.ts'
import type { Group } from '../check.ts'
import type { Scene } from '../scene.ts'
import { hookedIn } from './settings.ts'

const FIX = 'holdfast daemon start'
const LIMIT_MILLISECONDS = 10_000

/** Hooks and the commands that agents read call the launcher. */
export const program: Group = {
  name: 'program',
  async well(scene) {
    if (!(await isWritten(scene))) return undefined
    return isNeeded(scene)
      ? `${scene.home.launcher} runs.`
      : 'No hooks are installed, so no launcher is needed.'
  },
  checks: [
    {
      code: 'launcher-broken',
      severity: 'broken',
      finds:
        'the launcher in the home is missing although hooks are installed, does not run, or runs an older version',
      mends: FIX,
      async look(scene) {
        const problem = (await isWritten(scene)) && isNeeded(scene) ? problemOf(scene) : undefined
        return problem === undefined ? [] : [{ detail: `${scene.home.launcher} ${problem}.`, fix: FIX }]
      },
    },
  ],
}

/** A daemon of this version writes the launcher; without one, other checks say why. */
const isWritten = async (scene: Scene): Promise<boolean> =>
  (await scene.reached()).status?.version === VERSION

/** `uninstall` removes the launcher with the last hooks; the next daemon writes it again. */
const isNeeded = (scene: Scene): boolean =>
  existsSync(scene.home.launcher) ||
  hookedIn(scene.sources()).length > 0 ||
  allInstalled(scene.home).length > 0

function problemOf({ home, io }: Scene): string | undefined {
  const { status, stdout, stderr, error } = spawnSync(home.launcher, ['--version'], {
    encoding: 'utf8',
    env: { ...io.env },
    timeout: LIMIT_MILLISECONDS,
  })
  if (error !== undefined) return `does not run (${error.message})`
  if (status !== 0) return `does not run: ${stderr.trim().replace(/\.$/, '')}`
  const version = stdout.trim()
  return isNewer(VERSION, version) ? `runs version ${version}, but this is ${VERSION}` : undefined
}
