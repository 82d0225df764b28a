import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { findHome } from '../../daemon/home.ts'
import { durableEntry, isVanishing, readLauncher } from '../../daemon/launcher.ts'
import { type Obstacle, type Scope, SCOPES, type Way, type Wired } from '../../model/client-settings.ts'
import { shellWord } from '../../model/shell/word.ts'
import type { Io } from '../frame/io.ts'
import { clientWords, type Place, placesOf } from './place.ts'
import { enabledPlugins } from './plugin-enabled.ts'
import { hiddenLine } from './wanted-line.ts'
import { QUIET_GIT } from '../../model/text/quiet-git.ts'

/** Warnings about blocked hooks, duplicate hooks and exposed tokens. */
export function warningsOf(io: Io, place: Place, text: string): readonly string[] {
  const { client, file, scope, project } = place
  const own = client.settings.read(text)
  const others = placesOf(io, { project, client: client.name }).filter(
    (other) => other.file.path !== file.path,
  )
  const hidden = hiddenLine(io, place)
  return [
    ...own.obstacles.filter(isOfUsers).map((obstacle) => inTheWay(place, obstacle)),
    ...others.flatMap((other) => warningsOfOther(other, { ...own, place })),
    ...enabledPlugins([place, ...others]).map(
      (name) =>
        `The plugin ${name} has the same hooks, so every event arrives twice. Disable it: ${client.plugins?.disable(name) ?? ''}`,
    ),
    ...(own.statusLine?.isOurs === true && hidden !== undefined
      ? [`This status line hides the one in ${hidden.place.file.path}. To keep yours: --no-status-line`]
      : []),
    ...risksOf(io, { scope, project, path: file.path, mode: file.mode, ways: own.ways })
      // `init` is about to end this one.
      .filter(({ code }) => code !== 'program-vanishing')
      .map(({ detail, fix }) => `${detail} Fix: ${fix}`),
  ]
}

const inTheWay = (place: Place, { says }: Obstacle): string =>
  `${place.file.path}: ${says} Fix: ${enableBy(place)}`

/** The command that removes obstacles. */
export const enableBy = ({ client, scope }: Pick<Place, 'client' | 'scope'>): string =>
  `holdfast hooks enable${clientWords(client)} --scope ${scope}`

/** Obstacles that apply only in the settings of an organization. */
const isOfUsers = ({ kind }: Obstacle): boolean => kind !== 'managed'

/** Risks for hooks that work now. */
export interface Risk {
  readonly code: 'token-readable' | 'token-committed' | 'program-vanishing'
  readonly detail: string
  readonly fix: string
}

interface Written {
  readonly scope: Scope
  readonly project: string
  readonly path: string
  readonly mode: number | undefined
  readonly ways: readonly Way[]
}

export function risksOf(io: Io, { scope, project, path, mode, ways }: Written): readonly Risk[] {
  // Shared settings contain no token and no path.
  if (scope === 'project') return []
  // Commands read the token when they run.
  const hasToken = ways.some(({ kind }) => kind === 'http')
  const taken = scope === 'local' ? takenByGit(project, path, hasToken) : undefined
  return [
    ...(hasToken && mode !== undefined && (mode & 0o044) !== 0
      ? [
          {
            code: 'token-readable' as const,
            detail: `${path} contains the token of the hooks, and other users can read it.`,
            fix: `chmod 600 ${shellWord(path)}`,
          },
        ]
      : []),
    ...(taken === undefined ? [] : [{ code: 'token-committed' as const, ...taken }]),
    ...(vanishes(io)
      ? [
          {
            code: 'program-vanishing' as const,
            detail: 'The hooks call a holdfast in the npx cache, which npm can delete at any time.',
            fix: `holdfast init --scope ${scope}`,
          },
        ]
      : []),
  ]
}

/** Whether the launcher runs, or would run, a program in the npx cache. */
function vanishes({ env, entry }: Io): boolean {
  const known = readLauncher(findHome(env))
  return isVanishing(durableEntry(entry, env)) && (known === undefined || isVanishing(known.entry))
}

/** The order in which installs are kept, where only one is needed: a strict one first, then a wide one. */
export const keptFirst = <T extends Pick<Wired, 'failsClosed'>>(widestFirst: readonly T[]): readonly T[] =>
  widestFirst.toSorted((one, other) => Number(other.failsClosed) - Number(one.failsClosed))

interface Own extends Wired {
  readonly place: Place
}

function warningsOfOther(other: Place, own: Own): readonly string[] {
  const { path, text } = other.file
  try {
    const wired = other.client.settings.read(text ?? '')
    const { ways, obstacles } = wired
    const isAnother =
      ways.length > 0 && JSON.stringify(ways) !== JSON.stringify(own.ways) && !isBesideLock(other.scope, own)
    return [
      ...obstacles.filter(isOfUsers).map((obstacle) => inTheWay(other, obstacle)),
      ...(isAnother
        ? [
            `${path} has the same hooks, so every event arrives twice. Remove one: holdfast uninstall${clientWords(other.client)} --scope ${spareOf(own, { ...wired, place: other })}`,
          ]
        : []),
    ]
  } catch (error) {
    return [`Cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`]
  }
}

/** Hooks of the user serve other projects too, so they stay beside those of a locked one. */
export const isBesideLock = (scope: string, { lock }: Pick<Wired, 'lock'>): boolean =>
  scope === 'user' && lock !== undefined

function spareOf(...two: readonly [Own, Own]): Scope | undefined {
  const widestFirst = SCOPES.flatMap((scope) => two.filter(({ place }) => place.scope === scope))
  return keptFirst(widestFirst).at(-1)?.place.scope
}

/** The risk that git commits a file that is only for this machine, and the fix. */
function takenByGit(
  project: string,
  path: string,
  hasToken: boolean,
): Pick<Risk, 'detail' | 'fix'> | undefined {
  if (!existsSync(join(project, '.git'))) return undefined
  const git = (...words: readonly string[]) =>
    spawnSync('git', ['-C', project, ...QUIET_GIT, ...words]).status
  const isTracked = git('ls-files', '--error-unmatch', path) === 0
  const isIgnored = git('check-ignore', '--no-index', '-q', path) !== 1
  if (!isTracked && isIgnored) return undefined
  const fixes = [
    ...(isTracked ? [`git -C ${shellWord(project)} rm -q --cached ${shellWord(path)}`] : []),
    ...(isIgnored ? [] : [ignoring(join(project, '.gitignore'), `/${relative(project, path)}`)]),
  ]
  return {
    detail: `${path} ${hasToken ? 'contains the token of the hooks' : 'is only for this machine'}, and git ${isTracked ? 'tracks it' : 'does not ignore it'}.`,
    fix: fixes.join(' && '),
  }
}

/** Adds the missing newline of the last line first. */
function ignoring(file: string, pattern: string): string {
  const isOpen = existsSync(file) && /[^\n]$/.test(readFileSync(file, 'utf8'))
  return `${isOpen ? String.raw`printf '\n%s\n'` : 'echo'} ${shellWord(pattern)} >>${shellWord(file)}`
}
