import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { Home } from '../../daemon/home.ts'
import { durableEntry } from '../../daemon/launcher.ts'
import { projectConfigPath } from '../../files/config.ts'
import { ownFolder } from '../../model/client-files.ts'
import type { Unlocked } from '../../model/client-settings.ts'
import type { Client } from '../../model/client.ts'
import { EngineError } from '../../model/error.ts'
import { isNameable, type Lock } from '../../model/lock.ts'
import type { Parsed } from '../../model/plan/definition.ts'
import { OVERLAYS } from '../../model/our-folder.ts'
import { isInside } from '../../model/project.ts'
import { shellWord } from '../../model/shell/word.ts'
import { type Io, usage } from '../frame/io.ts'
import { packageOf } from '../program/package.ts'
import { readSkills } from '../skill/read.ts'
import { type Place, placesOf } from './place.ts'
import { QUIET_GIT } from '../../model/text/quiet-git.ts'

/** Says why a project cannot be locked here, before anything changes. */
export function checkLockable(io: Io, { client, scope, home, project }: Place): void {
  if (scope !== 'local')
    throw usage(
      'Each project is locked by itself, in its local settings.',
      'holdfast init --scope local --locked',
    )
  if (client.sandbox === undefined)
    throw new EngineError('invalid', `${client.name} has no sandbox that Holdfast can use.`, {
      hint: 'holdfast init --scope local --strict',
    })
  const missing = missingPrograms(io, client)
  const packages = client.sandbox.needs(process.platform)
  if (missing.length > 0)
    throw new EngineError(
      'unavailable',
      `Level locked needs ${missing.join(' and ')}, which ${missing.length === 1 ? 'is' : 'are'} missing here. Nothing written.`,
      { hint: `sudo apt install ${missing.map((program) => packages[program]).join(' ')}` },
    )
  if (!isNameable(home.launcher))
    throw new EngineError(
      'invalid',
      `${home.launcher} has characters that the sandbox settings of ${client.name} cannot name. Nothing written.`,
      { hint: 'HOLDFAST_HOME=/another/folder holdfast init --scope local --locked' },
    )
  const program = programFolder(io, home)
  if (isInside(program, project))
    throw new EngineError(
      'invalid',
      `Holdfast runs from ${program}, which agents of this project can change. Nothing written.`,
      { hint: 'XDG_DATA_HOME=/another/folder holdfast init --scope local --locked' },
    )
}

/** The programs that the sandbox of a client needs and that this machine does not have. */
export const missingPrograms = (io: Io, { sandbox }: Client): readonly string[] =>
  Object.keys(sandbox?.needs(process.platform) ?? {}).filter((program) => !isOnPath(io, program))

const isOnPath = ({ env }: Io, program: string): boolean =>
  (env['PATH'] ?? '').split(':').some((folder) => folder.startsWith('/') && existsSync(join(folder, program)))

/** What the sandbox must keep from the agents of a project, as its skills are now. */
export async function lockFor(io: Io, { client, home, project }: Place): Promise<Lock> {
  const skills = await plannedSkills(io, project)
  const steps = skills.flatMap(stepPlaces)
  const guarded = client.sandbox?.guarded({
    home: home.user.home,
    user: ownFolder(home.user, client),
    project,
  })
  return {
    launcher: home.launcher,
    unread: sorted([...steps, home.folder]),
    fixed: sorted(steps.flatMap((path) => topFolder(project, path))),
    unwritten: outermost([
      ...steps,
      ...skills.flatMap(({ definition: { folder } }) => bothNames(folder)),
      ...(guarded ?? []),
      ...gitFiles(home.user.home, project),
      home.folder,
      home.config,
      projectConfigPath(project),
      join(project, OVERLAYS),
      home.overlays,
      programFolder(io, home),
      ...(packageOf(io.entry) === undefined ? [process.execPath] : []),
    ]),
  }
}

/** What makes git run programs, also for the user; a sandbox holds no name in a folder that is missing. */
const gitFiles = (home: string, project: string): readonly string[] =>
  [`${project}/.git/config`, `${project}/.git/hooks`, `${home}/.gitconfig`, `${home}/.config/git`].filter(
    (path) => statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory(),
  )

async function plannedSkills(io: Io, project: string): Promise<readonly Parsed[]> {
  const { parsed } = await readSkills(io, { path: project, runs: false, all: true })
  return parsed.filter(
    ({ definition: { kind, plan } }) =>
      kind === 'skill' && plan?.explicit === true && plan.notation === 'steps',
  )
}

/** A folder that holds only steps as a whole, so that a new step is held too; else each file. */
const stepPlaces = ({ definition: { folder, plan } }: Parsed): readonly string[] =>
  (plan?.steps ?? [])
    .map(({ place: { file } }) => file)
    .filter((file) => existsSync(file) && basename(file) !== 'SKILL.md')
    .flatMap((file) => bothNames(dirname(file) === folder ? file : dirname(file)))

/** A path as it is written, and what it leads to. */
const bothNames = (path: string): readonly string[] =>
  existsSync(path) ? [path, realpathSync(path)] : [path]

/** The folder of a project in which a path lies; moving it would leave the sandbox with the old path. */
const topFolder = (project: string, path: string): readonly string[] =>
  isInside(project, path) && path !== project
    ? [join(project, relative(project, path).split('/')[0] ?? '')]
    : []

const sorted = (paths: readonly string[]): readonly string[] => [...new Set(paths)].toSorted()

/** Each path once, without those that lie in another one. */
export const outermost = (paths: readonly string[]): readonly string[] =>
  sorted(paths).filter((path, _, all) => !all.some((other) => other !== path && isInside(other, path)))

/** The folder of our program. */
function programFolder({ entry, env }: Io, { programs }: Home): string {
  // `init` copies the program and its Node there.
  if (packageOf(entry) !== undefined) return programs
  const own = realpathSync(durableEntry(entry, env))
  const above = dirname(dirname(own))
  try {
    const { name } = JSON.parse(readFileSync(join(above, 'package.json'), 'utf8')) as { name?: unknown }
    return name === 'holdfast' ? above : dirname(own)
  } catch {
    return dirname(own)
  }
}

/** What the level costs, told before it is set; `user` are settings whose hooks use HTTP. */
export const costsOf = ({ unread }: Lock, user?: Place): readonly string[] => [
  `Shells of the agent cannot read ${unread.join(', ')}; a step reaches the agent by its Read tool or by holdfast step.`,
  'Inside the sandbox, shells write only below the project and their temporary folder, and reach no loopback port and no Unix socket, unless your own sandbox settings allow it.',
  'Shells cannot change the config of git or add worktrees.',
  'Agents cannot change skills, client settings, shell startup files or Holdfast itself.',
  'MCP servers and hooks of your own run outside of the sandbox.',
  ...(user === undefined
    ? []
    : [
        `The hooks in ${user.file.path} become commands, because in a locked project ${user.client.name} asks about each HTTP hook.`,
      ]),
]

/** Warnings about settings of the user that let other commands run outside of the sandbox. */
export const waysOut = (io: Io, place: Place, draft: string): readonly string[] =>
  placesOf(io, { project: place.project, client: place.client.name }).flatMap(({ client, file }) => {
    const text = file.path === place.file.path ? draft : (file.text ?? '')
    return runOutside(file.path, client.settings.read(text).unlocked)
  })

/** Says of each command of settings that no sandbox holds it. */
export const runOutside = (path: string, unlocked: Unlocked | undefined): readonly string[] =>
  (unlocked?.commands ?? []).map(
    (one) => `${path}: ${one} runs outside of the sandbox, and can read every step.`,
  )

/** A problem that git has with the sandbox, or the sandbox with git. */
interface GitProblem {
  readonly detail: string
  /** The command that helps, if there is one. */
  readonly fix?: string
}

/** Git sees the files of the sandbox, and keeps the steps that it tracks. */
export function gitProblems({ client, project }: Place, lock: Lock): readonly GitProblem[] {
  if (!existsSync(join(project, '.git'))) return []
  const masks = masksIn(client, project, lock)
  const ignored = new Set(git(project, 'check-ignore', '--no-index', '--', ...masks))
  const seen = masks.filter((name) => !ignored.has(name) && !existsSync(join(project, name)))
  const own = heldInside(project, lock.unread)
  const tracked = trackedIn(project, own)
  const open = tracked.filter((line) => !line.startsWith('S ')).map((line) => line.slice(2))
  return [
    ...(seen.length === 0 ? [] : [{ detail: MASKED, fix: excluding(project, seen) }]),
    ...(tracked.length === 0
      ? []
      : [
          {
            detail: `git tracks ${own.join(', ')}, so a script can still read the steps from the objects in .git. To close it, keep the skill out of the repository, for example in the skills folder of your user.`,
          },
        ]),
    ...(open.length === 0
      ? []
      : [
          {
            detail: 'In the sandbox the tracked steps look deleted, so an agent could commit that.',
            fix: `git -C ${shellWord(project)} update-index --skip-worktree ${open.map(shellWord).join(' ')}`,
          },
        ]),
  ]
}

/** The same as warnings of `init`. */
export const gitWarnings = (place: Place, lock: Lock): readonly string[] =>
  gitProblems(place, lock).map(({ detail, fix }) => (fix === undefined ? detail : `${detail} Fix: ${fix}`))

/** What git still hides from the user after a lock is gone, because a warning above was followed. */
export function gitLeft({ client, project }: Place, lock: Lock): readonly string[] {
  if (!existsSync(join(project, '.git'))) return []
  const exclude = join(project, '.git/info/exclude')
  const lines = existsSync(exclude) ? readFileSync(exclude, 'utf8').split('\n') : []
  const hidden = masksIn(client, project, lock).filter((name) => lines.includes(`/${name}`))
  const skipped = trackedIn(project, heldInside(project, lock.unread))
    .filter((line) => line.startsWith('S '))
    .map((line) => shellWord(line.slice(2)))
  return [
    ...(skipped.length === 0
      ? []
      : [
          `git still skips the tracked steps, so it does not show your changes to them. Fix: git -C ${shellWord(project)} update-index --no-skip-worktree ${skipped.join(' ')}`,
        ]),
    ...(hidden.length === 0
      ? []
      : [`${exclude} still hides ${hidden.join(', ')} from git. Fix: edit ${shellWord(exclude)}`]),
  ]
}

const git = (project: string, ...words: readonly string[]): readonly string[] =>
  spawnSync('git', ['-C', project, ...QUIET_GIT, ...words], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter(Boolean)

/** What git tracks below some paths, each with its state. */
const trackedIn = (project: string, paths: readonly string[]): readonly string[] =>
  paths.length === 0 ? [] : git(project, 'ls-files', '-t', '--', ...paths)

const masksIn = (client: Client, project: string, { unwritten }: Lock): readonly string[] => [
  ...new Set([...(client.sandbox?.masks ?? []), ...heldInside(project, unwritten)]),
]

const heldInside = (project: string, paths: readonly string[]): readonly string[] =>
  paths.filter((path) => isInside(project, path)).map((path) => relative(project, path))

const MASKED = 'The sandbox shows devices in this folder, and `git add -A` fails on them.'

const excluding = (project: string, names: readonly string[]): string =>
  `printf '/%s\\n' ${names.map(shellWord).join(' ')} >>${shellWord(join(project, '.git/info/exclude'))}`
