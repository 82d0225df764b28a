import { existsSync } from 'node:fs'
import { VERSION } from '../../../daemon/version.ts'
import { isNewer } from '../../../model/version.ts'
import { allInstalled } from '../../install/installed.ts'
import { askVersion } from '../ask-version.ts'
import type { Group } from '../check.ts'
import { missingCommand, oldCommand, severalCommands } from '../commands.ts'
import type { Scene } from '../scene.ts'
import { hookedIn } from './settings.ts'

const FIX = 'holdfast daemon start'

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
    {
      code: 'command-missing',
      severity: 'warning',
      finds: 'hooks are installed, but the shells of agents have no command `holdfast`',
      mends: 'export PATH="$HOME/.local/bin:$PATH", or holdfast init --yes',
      look: (scene) => (isHooked(scene) ? missingCommand(scene) : []),
    },
    {
      code: 'copy-old',
      severity: 'warning',
      finds: 'the `holdfast` of the PATH is older than this program',
      mends: 'NODE ENTRY init --yes',
      look: oldCommand,
    },
    {
      code: 'copies-several',
      severity: 'warning',
      finds: 'the PATH has several versions of `holdfast`',
      mends: 'rm OLDER',
      look: severalCommands,
    },
  ],
}

/** A daemon of this version writes the launcher; without one, other checks say why. */
const isWritten = async (scene: Scene): Promise<boolean> =>
  (await scene.reached()).status?.version === VERSION

/** `uninstall` removes the launcher with the last hooks; the next daemon writes it again. */
const isNeeded = (scene: Scene): boolean =>
  existsSync(scene.home.launcher) || isHooked(scene) || allInstalled(scene.home).length > 0

const isHooked = (scene: Scene): boolean => hookedIn(scene.sources()).length > 0

function problemOf({ home, io }: Scene): string | undefined {
  const { version, problem } = askVersion(home.launcher, io.env)
  if (problem !== undefined) return problem
  return isNewer(VERSION, version) ? `runs version ${version}, but this is ${VERSION}` : undefined
}
