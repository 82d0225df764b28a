import type { Past } from '../../model/handoff/clashes.ts'
import { nameKey } from '../../model/handoff/problem.ts'
import { readSessionFile, USUAL_SESSION_FILES } from '../../model/handoff/session-file.ts'
import { readTaskLine } from '../../model/handoff/task-line.ts'
import { tokensIn } from '../../model/handoff/tokens.ts'
import { git, type Repository } from './git.ts'

/** Where a task came into a repository. */
export interface Introduced {
  readonly name: string
  readonly commit: string
  /** From the root of the repository. */
  readonly path: string
}

/** The tasks and tokens of all commits. */
export interface History extends Past {
  /** The first commit of each task, by the key of its name. */
  readonly tasks: ReadonlyMap<string, Introduced>
  /** The key of the name that each token was given to. */
  readonly keyOf: ReadonlyMap<string, string>
}

/** The two files of a handoff, from the root of the project. */
export interface Files {
  readonly session: string
  readonly learnings: string
}

/** What the commits of a repository say; undefined where there are none. */
export function historyOf(at: Repository, files: Files): History | undefined {
  if (git(at, 'rev-parse', '--verify', '-q', 'HEAD') === undefined) return undefined
  const names = namesOf(at, files.session)
  const tasks = new Map<string, Introduced>()
  const keyOf = new Map<string, string>()
  const tokens = new Set<string>()
  for (const { commit, path, text } of addedLines(at, [...names, files.learnings])) {
    for (const token of tokensIn(text)) tokens.add(token)
    const task = readTaskLine(text)
    if (task === undefined) continue
    const key = nameKey(task.name)
    if (!tasks.has(key)) tasks.set(key, { name: task.name, commit, path })
    if (task.token !== undefined && !keyOf.has(task.token)) keyOf.set(task.token, key)
  }
  const known = checkedOut(at, names)
  return { tasks, keyOf, tokens, names: new Set([...tasks.keys()].filter((key) => !known.has(key))) }
}

/** The session file under every name that it had, as git takes them. */
function namesOf(at: Repository, session: string): readonly string[] {
  const words = ['log', '--follow', '-M', '--format=', '--name-only', '--', session]
  const former =
    git(at, ...words)
      ?.split('\n')
      .filter(Boolean) ?? []
  const moved =
    git(at, 'diff', '--cached', '-M', '--diff-filter=R', '--name-status', 'HEAD')?.split('\n') ?? []
  const from = moved
    .map((line) => line.split('\t'))
    .filter(([, , to]) => to === session || to?.endsWith(`/${session}`) === true)
    .map(([, name = '']) => name)
  const top = [...new Set([...former, ...from])].map((name) => `:(top,literal)${name}`)
  return [...new Set([session, ...USUAL_SESSION_FILES])].map((name) => `:(literal)${name}`).concat(top)
}

interface Added {
  readonly commit: string
  readonly path: string
  readonly text: string
}

const BEGINS = '\u0001'

/** Every line that a commit added, the oldest commit first. */
function* addedLines(at: Repository, paths: readonly string[]): Generator<Added> {
  const shape = [
    '--src-prefix=a/',
    '--dst-prefix=b/',
    '--no-color',
    '--no-ext-diff',
    '--no-textconv',
    '--no-renames',
  ]
  const words = [
    'log',
    '--all',
    'HEAD',
    '--topo-order',
    '--reverse',
    `--format=${BEGINS}%H`,
    '-p',
    '-U0',
    ...shape,
  ]
  let [commit, path, left] = ['', '', { removed: 0, added: 0 }]
  for (const line of (git(at, ...words, '--', ...paths) ?? '').split('\n')) {
    if (left.removed > 0 && line.startsWith('-')) left.removed--
    else if (left.added > 0 && line.startsWith('+')) {
      left.added--
      yield { commit, path, text: line.slice(1).replace(/\r$/, '') }
    } else if (line.startsWith(BEGINS)) [commit, left] = [line.slice(1), { removed: 0, added: 0 }]
    else if (line.startsWith('+++ b/')) path = line.slice('+++ b/'.length).replace(/\t$/, '')
    else left = hunkIn(line) ?? left
  }
}

function hunkIn(line: string): { removed: number; added: number } | undefined {
  const found = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line)
  return found === null ? undefined : { removed: Number(found[1] ?? 1), added: Number(found[2] ?? 1) }
}

/** The tasks of the commits that the next one follows, which may keep their names. */
function checkedOut(at: Repository, names: readonly string[]): ReadonlySet<string> {
  const known = new Set<string>()
  const paths = wantedIn(at, names)
  for (const commit of ['HEAD', 'MERGE_HEAD', 'CHERRY_PICK_HEAD']) {
    if (git(at, 'rev-parse', '--verify', '-q', commit) === undefined) continue
    for (const path of paths)
      for (const { name } of readSessionFile(textIn(at, commit, path) ?? '').tasks) known.add(nameKey(name))
  }
  return known
}

/** The names as paths from the root of the repository. */
function wantedIn(at: Repository, names: readonly string[]): readonly string[] {
  const prefix = git(at, 'rev-parse', '--show-prefix')?.trim() ?? ''
  return names.map((name) =>
    name.startsWith(':(top,literal)')
      ? name.slice(':(top,literal)'.length)
      : prefix + name.slice(':(literal)'.length),
  )
}

/** A file as a commit has it. */
export const textIn = (at: Repository, commit: string, path: string): string | undefined =>
  git(at, 'show', `${commit}:${path}`)
