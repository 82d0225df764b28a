import { accessSync, constants, lstatSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { checkPrivate, checkWritable, preparePrivateFolders } from '../../../daemon/home.ts'
import { EngineError } from '../../../model/error.ts'
import { shellWord } from '../../../model/shell/word.ts'
import type { Check, Group, Problem } from '../check.ts'
import { awayFrom, thereOf } from '../mounts.ts'
import type { Scene } from '../scene.ts'

/** The command that moves the home to a writable folder on a local disk. */
export function elsewhere({ home, machine }: Scene): string {
  const mounts = machine.mounts()
  const folders = [
    join(home.user.home, '.local', 'state', 'holdfast'),
    join(home.user.home, '.holdfast'),
    `/var/tmp/holdfast-${userInfo().uid}`,
  ]
  const free = folders.find(
    (folder) => folder !== home.folder && isOpenToUs(folder) && awayFrom(mounts, folder) === undefined,
  )
  return `export HOLDFAST_HOME=${shellWord(free ?? folders[2] ?? '')}`
}

function isOpenToUs(folder: string): boolean {
  try {
    if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) checkPrivate(folder)
    accessSync(thereOf(folder), constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Creates the home, as any command does, to see whether that works. */
function trouble({ home }: Scene): EngineError | undefined {
  try {
    preparePrivateFolders(home)
    return undefined
  } catch (error) {
    if (error instanceof EngineError) return error
    throw error
  }
}

const isOpen = ({ hint = '' }: EngineError): boolean => hint.startsWith('chmod ')

const check = (
  about: Pick<Check, 'code' | 'finds' | 'mends'>,
  look: (scene: Scene, error: EngineError | undefined) => readonly Problem[],
) => ({ ...about, severity: 'broken' as const, look: (scene: Scene) => look(scene, trouble(scene)) })

const checks = [
  check(
    {
      code: 'home-missing',
      finds: 'the home does not exist and cannot be created',
      mends: 'export HOLDFAST_HOME=FOLDER',
    },
    (scene, error) =>
      error?.code === 'unavailable' ? [{ detail: error.message, fix: elsewhere(scene) }] : [],
  ),
  check(
    {
      code: 'home-foreign',
      finds: 'the home is a link, or belongs to another user',
      mends: 'export HOLDFAST_HOME=FOLDER',
    },
    (scene, error) =>
      error?.code === 'forbidden' && !isOpen(error) ? [{ detail: error.message, fix: elsewhere(scene) }] : [],
  ),
  check(
    { code: 'home-open', finds: 'other users can access the home', mends: 'chmod go-rwx FOLDER' },
    (_, error) =>
      error !== undefined && isOpen(error) ? [{ detail: error.message, fix: error.hint ?? '' }] : [],
  ),
  check(
    {
      code: 'home-read-only',
      finds: 'the home is not writable',
      mends: 'chmod u+rwx FOLDER, or export HOLDFAST_HOME=FOLDER',
    },
    (scene, error) => (error === undefined ? readOnly(scene) : []),
  ),
]

export const home: Group = {
  name: 'home',
  well: (scene) => `${scene.home.folder} is private.`,
  checks,
}

/** Problems of the home, which cause most others. */
export const homeProblems = (scene: Scene): readonly Problem[] => checks.flatMap((one) => one.look(scene))

function readOnly(scene: Scene): readonly Problem[] {
  const { folder } = scene.home
  try {
    checkWritable(folder)
    return []
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    const isOurs = (lstatSync(folder).mode & 0o700) !== 0o700
    return [{ detail, fix: isOurs ? `chmod u+rwx ${shellWord(folder)}` : elsewhere(scene) }]
  }
}
