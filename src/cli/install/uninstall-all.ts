import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { clients } from '../../clients/index.ts'
import { findHome, type Home } from '../../daemon/home.ts'
import { upToRepository } from '../../files/overlays.ts'
import { EngineError } from '../../model/error.ts'
import type { ToldProject } from '../../model/project.ts'
import { removeLauncher } from '../../daemon/launcher.ts'
import { killDaemon, stopDaemon } from '../daemon/stop.ts'
import { Remote } from '../daemon/remote.ts'
import type { Arguments } from '../frame/args.ts'
import { isConfirmed } from '../frame/confirm.ts'
import type { Io } from '../frame/io.ts'
import { fitTerminal, printVerbatim } from '../frame/show.ts'
import { namesOf, removeNames } from '../program/names.ts'
import { forgetHome, knownHomes, removeUnused } from '../program/unused.ts'
import { allTargets } from '../catalogue/update.ts'
import { type Target, targetOf } from '../catalogue/folders.ts'
import { installedAt, type Leaving, lookAtLeaving, remove } from '../catalogue/remove.ts'
import { tidy } from '../catalogue/put.ts'
import { allInstalled, type Installed } from './installed.ts'
import { removeCommands } from './client-commands.ts'
import { type Place, placesOfAll } from './place.ts'
import { readSettings } from './settings-file.ts'
import { takeOut } from './uninstall.ts'
import { painted } from '../frame/unified-diff.ts'

/** Runs `holdfast uninstall --all`: removes the hooks everywhere, the home, and the program. */
export async function runUninstallAll(io: Io, { values, switches }: Arguments): Promise<number> {
  const home = findHome(io.env)
  const places = everyPlace(io, values, home)
  // First without a change, because broken settings must stop all of it.
  const settings = places.flatMap((place) => takeOut(place, true))
  const commands = places.flatMap((place) => removeCommands(place, true))
  const skills = installedEverywhere(places)
  const plan = {
    settings,
    removes: [...commands, ...skills.filter(isOurs).map(({ place }) => place), ...removesOf(home)],
    stays: [...skills.filter((one) => !isOurs(one)).map(({ place }) => place), ...(await staysOf(io, home))],
  }
  if (!io.json) io.out(fitTerminal(io, describe(io, plan, switches.has('diff'))))
  const isDry = switches.has('dry_run')
  const isDone = !isDry && (await isConfirmed(io, switches, 'Remove all of this? [y/N] '))
  if (isDone) await carryOut(home, places)
  const why = isDone || isDry ? null : 'Not confirmed; nothing removed.'
  const next = why === null ? null : 'holdfast uninstall --all --yes'
  printVerbatim(io, { ...plan, removed: isDone, why, next }, () =>
    isDone ? 'Removed.' : isDry ? 'Nothing removed (--dry-run).' : `${why}\n  try: ${next}`,
  )
  return isDone || isDry ? 0 : 1
}

/** The settings that apply here, and all that this home has changed. */
function everyPlace(io: Io, values: Arguments['values'], home: Home): readonly Place[] {
  const known = allInstalled(home).flatMap((one) => placeFrom(home, one))
  const all = [...placesOfAll(io, values), ...known]
  // The first of a path wins, because a home may be a project too.
  return [...new Map(all.toReversed().map((place) => [place.file.path, place])).values()]
}

function placeFrom(home: Home, { client: name, scope, path }: Installed): readonly Place[] {
  const client = clients.get(name)
  if (client === undefined || !existsSync(path)) return []
  return [{ home, client, scope, project: dirname(dirname(path)), file: readSettings(path) }]
}

const targetsOf = (places: readonly Place[]): readonly Target[] => {
  const all = places.flatMap((place) => allTargets(targetOf(place)))
  return [...new Map(all.map((one) => [`${one.scope} ${one.skills}`, one])).values()]
}

/** The skills and agents that we installed anywhere, as they stand. */
const installedEverywhere = (places: readonly Place[]): readonly Leaving[] =>
  targetsOf(places).flatMap((target) => lookAtLeaving(target, installedAt(target)))

/** What the user has changed is theirs. */
const isOurs = ({ standing: { state } }: Leaving): boolean => state !== 'changed' && state !== 'missing'

const othersOf = (home: Home): readonly string[] =>
  knownHomes(home).filter((folder) => folder !== home.folder)

/** The folders of a user that hold only what we wrote, and our names; other homes need the program. */
const removesOf = (home: Home): readonly string[] =>
  [home.folder, home.cache, ...(othersOf(home).length > 0 ? [] : [...namesOf(home), home.programs])].filter(
    (path) => existsSync(path),
  )

/** What stays, because it belongs to the user or to others. */
async function staysOf(io: Io, home: Home): Promise<readonly string[]> {
  const own = await projectFolders(io, home)
  return [
    ...new Set([...own, ...(await upToRepository(io.cwd))].map((folder) => join(folder, '.holdfast'))),
    ...foreignIn(home).map((name) => join(home.folder, name)),
    home.config,
    home.overlays,
    ...(othersOf(home).length === 0 ? [] : [home.programs, ...othersOf(home)]),
  ].filter((path) => existsSync(path))
}

/** Only the database knows the projects; without a daemon that answers, nobody does. */
async function projectFolders(io: Io, home: Home): Promise<readonly string[]> {
  if (!home.isPostgres && !existsSync(home.database)) return []
  try {
    using daemon = new Remote(io)
    const projects = await daemon.call<readonly ToldProject[]>('db.project.list')
    return projects.flatMap(({ path, workplaces }) => [path, ...workplaces.map((one) => one.path)])
  } catch (error) {
    // A daemon that cannot answer must not keep anybody from removing it.
    if (!(error instanceof EngineError)) throw error
    return []
  }
}

const OURS =
  /^(?:engine\.|lock\.db|turn\.db|daemon\.(?:log|json)|(?:hook|http|pause)\.json|ballast\.bin|machine-id|installed$|skills$|backups$)/

/** A home may be a folder in which the user keeps other things. */
const foreignIn = ({ folder }: Home): readonly string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => !OURS.test(name) && name !== 'bin') : []

async function carryOut(home: Home, places: readonly Place[]): Promise<void> {
  for (const place of places) {
    removeCommands(place, false)
    takeOut(place, false)
  }
  for (const target of targetsOf(places)) {
    tidy(target.skills)
    remove(target, lookAtLeaving(target, installedAt(target)), false)
  }
  await stopDaemon(home).catch(() => killDaemon(home))
  forgetHome(home)
  removeLauncher(home)
  const foreign = foreignIn(home)
  if (foreign.length === 0 && !existsSync(join(home.folder, 'bin')))
    rmSync(home.folder, { recursive: true, force: true })
  else
    for (const name of readdirSync(home.folder).filter((one) => OURS.test(one)))
      rmSync(join(home.folder, name), { recursive: true, force: true })
  rmSync(home.cache, { recursive: true, force: true })
  if (othersOf(home).length > 0) return void removeUnused(home)
  removeNames(home)
  rmSync(home.programs, { recursive: true, force: true })
}

interface Plan {
  readonly settings: ReturnType<typeof takeOut>
  readonly removes: readonly string[]
  readonly stays: readonly string[]
}

const describe = (io: Io, { settings, removes, stays }: Plan, showsDiff: boolean): string =>
  [
    ...(settings.length + removes.length === 0 ? ['Nothing of Holdfast is installed.'] : []),
    ...settings.flatMap(({ path, diff, removed }) => [
      `${removed ? 'Removes' : 'Restores'} ${path}`,
      ...(showsDiff ? [painted(io, diff)] : []),
    ]),
    ...removes.map((path) => `Removes ${path}`),
    ...stays.map((path) => `Stays: ${path}`),
  ].join('\n')
