import { spawnSync } from 'node:child_process'
import { VERSION } from '../../../daemon/version.ts'
import { isNewer } from '../../../model/version.ts'
import type { Group } from '../check.ts'
import type { Scene } from '../scene.ts'

const FIX = 'holdfast daemon start'
const LIMIT_MILLISECONDS = 10_000

/** Hooks and the commands that agents read call the launcher. */
export const program: Group = {
  name: 'program',
  well: async (scene) => ((await isWritten(scene)) ? `${scene.home.launcher} runs.` : undefined),
  checks: [
    {
      code: 'launcher-broken',
      severity: 'broken',
      finds: 'the launcher in the home is missing, does not run, or runs an older version',
      mends: FIX,
      async look(scene) {
        const problem = (await isWritten(scene)) ? problemOf(scene) : undefined
        return problem === undefined ? [] : [{ detail: `${scene.home.launcher} ${problem}.`, fix: FIX }]
      },
    },
  ],
}

/** A daemon of this version writes the launcher; without one, other checks say why. */
const isWritten = async (scene: Scene): Promise<boolean> =>
  (await scene.reached()).status?.version === VERSION

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
