import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { writeWhole } from '../../daemon/write-whole.ts'
import { makeFoldersSync } from '../../files/place.ts'
import { EngineError } from '../../model/error.ts'
import { shellWord } from '../../model/shell/word.ts'
import { agentPlace, keptAgents } from './agents.ts'
import { installedIn, type Target } from './folders.ts'
import { KEPT_FILE, keptIn } from './kept.ts'
import { SHELF } from './put.ts'
import { QUIET_GIT } from '../../model/text/quiet-git.ts'

/** Skills and agents that are about to come. */
interface Coming {
  readonly skills: readonly string[]
  readonly agents: readonly string[]
}

const NOTHING: Coming = { skills: [], agents: [] }

/** Keeps the skills of the scope `local` out of git, with their agents; all worktrees of a repository share the list. */
export function hideLocal(target: Target, coming = NOTHING): void {
  const { project, scope } = target
  if (scope === 'user') return
  const list = git(project, 'rev-parse', '--git-path', 'info/exclude')
  const top = git(project, 'rev-parse', '--show-toplevel')
  if (list === undefined || top === undefined) return
  const below = (path: string): string => `/${relative(realpathSync(top), join(realpathSync(project), path))}`
  const path = resolve(project, list)
  const before = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const after = withBlock(before, below('.'), hidden(target, coming).map(below))
  if (after === before) return
  makeFoldersSync(dirname(path))
  writeWhole(path, after, 0o644)
}

/** The text with the lines of one project between two of ours; without any if there is nothing to hide. */
function withBlock(text: string, project: string, paths: readonly string[]): string {
  const [begin, end] = ['begin', 'end'].map(
    (part) => `# holdfast skill install --scope local: ${part} of ${project}`,
  )
  const lines = text.split('\n')
  const [from, to] = [lines.indexOf(begin ?? ''), lines.indexOf(end ?? '')]
  const others = from === -1 || to < from ? lines : [...lines.slice(0, from), ...lines.slice(to + 1)]
  if (paths.length === 0) return others.join('\n')
  const rest = others.join('\n')
  return `${rest}${rest === '' || rest.endsWith('\n') ? '' : '\n'}${[begin, ...paths.map(asPattern), end].join('\n')}\n`
}

/** Letters that mean more in a list of git; a shelf has any ending. */
const asPattern = (path: string): string => path.replaceAll(/[\\?*[\] ]/g, '\\$&').replace(/-$/, '-*')

/** Paths below the project. */
function hidden(target: Target, coming: Coming): readonly string[] {
  const { project, skills, agents } = target
  const there = installedIn(target).filter((name) => !coming.skills.includes(name))
  const kept = there.map((name) => ({ name, kept: keptIn(join(skills, name)) }))
  const isLocal = ({ kept: one }: (typeof kept)[number]) => one?.scope === 'local'
  const arriving = target.scope === 'local' ? coming : NOTHING
  const local = [...kept.filter(isLocal).map(({ name }) => name), ...arriving.skills]
  if (local.length === 0) return []
  const shared = new Set(kept.filter((one) => !isLocal(one)).flatMap((one) => one.kept?.agents ?? []))
  const own = [...new Set([...keptAgents(agents), ...arriving.agents])].filter((name) => !shared.has(name))
  return [
    ...local.map((name) => join(skills, name)),
    ...own.map((name) => agentPlace(target, name)),
    ...(own.length > 0 && shared.size === 0 ? [join(agents, KEPT_FILE)] : []),
    join(dirname(skills), SHELF),
  ].map((path) => relative(project, path))
}

/** Refuses what git tracks already, because no list hides that. */
export function checkUntracked({ project, scope, skills }: Target, names: readonly string[]): void {
  if (scope !== 'local') return
  const tracked = names.filter((name) => (git(project, 'ls-files', '--', join(skills, name)) ?? '') !== '')
  const [first] = tracked
  if (first === undefined) return
  throw new EngineError(
    'conflict',
    `git tracks ${tracked.join(', ')} in ${skills}, so the scope local cannot hide it; nothing changed.`,
    { hint: `holdfast skill install ${shellWord(first)} --scope project` },
  )
}

/** What git prints; undefined if it fails, as outside of a repository. */
function git(project: string, ...words: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', ['-C', project, ...QUIET_GIT, ...words], {
    encoding: 'utf8',
  })
  return status === 0 ? stdout.trim() : undefined
}
