import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { findHome, type Home } from '../../daemon/home.ts'
import { readLauncher } from '../../daemon/launcher.ts'
import { writeWhole } from '../../daemon/write-whole.ts'
import { makeFoldersSync } from '../../files/place.ts'
import { UNFINISHED, versionsIn } from './copy.ts'
import { namesOf } from './names.ts'

/** Longer than any `init` takes to fill a folder. */
const UNFINISHED_MILLISECONDS = 3_600_000

/** Removes the copies that nothing uses; returns their folders. */
export function removeUnused(home: Home): readonly string[] {
  const versions = versionsIn(home)
  if (!existsSync(versions)) return []
  const users = usersOf(home)
  const unused = readdirSync(versions)
    .map((name) => join(versions, name))
    .filter((folder) =>
      folder.startsWith(join(versions, UNFINISHED))
        ? Date.now() - statSync(folder).mtimeMs > UNFINISHED_MILLISECONDS
        : !users.some((one) => one.includes(`${folder}/`)),
    )
  for (const folder of unused) rmSync(folder, { recursive: true, force: true })
  return unused
}

/** Texts that name what is in use: launchers of homes, names in the PATH, and commands that run. */
const usersOf = (home: Home): readonly string[] => [
  ...[home.folder, ...knownHomes(home)].map((folder) => launchedBy(folder)),
  ...namesOf(home).map((path) => realpathOf(path)),
  ...commandsRunning(),
  process.execPath,
]

const launchedBy = (folder: string): string =>
  readLauncher({ launcher: join(folder, 'bin', 'holdfast') })?.entry ?? ''

function realpathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return readlinkSync(path)
  }
}

/** The words of every process; a daemon has the path of its program among them. */
function commandsRunning(): readonly string[] {
  if (!existsSync('/proc/self/cmdline'))
    return spawnSync('ps', ['-axww', '-o', 'args='], { encoding: 'utf8' }).stdout.split('\n')
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      } catch {
        // It has ended meanwhile.
        return ''
      }
    })
}

const homesIn = ({ programs }: Pick<Home, 'programs'>): string => join(programs, 'homes')
const noteOf = (home: Home): string => join(homesIn(home), hash('sha256', home.folder).slice(0, 16))

/** Notes that a home uses the copies, because a user may have several homes. */
export function noteHome(home: Home): void {
  makeFoldersSync(homesIn(home), 0o700)
  writeWhole(noteOf(home), `${home.folder}\n`)
}

export function forgetHome(home: Home): void {
  rmSync(noteOf(home), { force: true })
}

/** The homes whose launchers may run a copy; those that no longer exist are left out. */
export function knownHomes(home: Pick<Home, 'programs'>): readonly string[] {
  const folder = homesIn(home)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8').trim())
    .filter((path) => existsSync(findHome({ HOLDFAST_HOME: path }).launcher))
}
