import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { EngineError } from '../../model/error.ts'
import type { Io } from '../frame/io.ts'
import { contained } from '../install/contained.ts'

/** The repository of a body of work. Of the user's checkout only `.holdfast/` is ever touched. */
export interface Branches {
  readonly io: Io
  /** The user's checkout. */
  readonly root: string
  readonly effort_id: number
  /** Where the worktrees lie, below the task of the body. */
  readonly folder: string
}

/** A worktree with its branch. */
export interface Worktree {
  readonly path: string
  readonly branch: string
}

const MOST_BYTES = 1 << 26

interface Said {
  readonly ok: boolean
  readonly out: string
  readonly err: string
}

function git({ io }: Pick<Branches, 'io'>, cwd: string, ...words: readonly string[]): Said {
  const plain = ['-c', 'core.quotePath=false', '-c', 'gc.auto=0', '-c', 'advice.detachedHead=false']
  using held = contained(io, cwd, ['git', '-C', cwd, ...plain, ...words])
  const [program, ...more] = held.words
  // What surrounds our shell must not lead git elsewhere.
  const env = Object.fromEntries(
    Object.entries(io.env).filter(([name]) => !/^GIT_(?:DIR|INDEX_FILE|WORK_TREE)$/.test(name)),
  )
  const { status, stdout, stderr } = spawnSync(program, more, {
    encoding: 'utf8',
    env,
    maxBuffer: MOST_BYTES,
  })
  return { ok: status === 0, out: stdout.trim(), err: stderr.trim() }
}

function must(said: Said, what: string): string {
  if (said.ok) return said.out
  throw new EngineError('conflict', `Git could not ${what}: ${said.err.split('\n').slice(-3).join(' ')}`)
}

/** The root of the checkout around a folder. */
export function rootOf(io: Io): string {
  const said = git({ io }, io.cwd, 'rev-parse', '--show-toplevel')
  if (said.ok) return said.out
  throw new EngineError(
    'conflict',
    'Workers need a git repository, because each item gets a worktree of its own.',
    {
      hint: 'git init',
    },
  )
}

/** The branch that collects what is done. */
export const integration = ({ effort_id }: Pick<Branches, 'effort_id'>): string => `holdfast/${effort_id}`

const refOf = (of: Branches): string => `refs/heads/${integration(of)}`

/** Begins the integration branch where the user's checkout is; one that is there stays. */
export function beginIntegration(of: Branches): void {
  if (git(of, of.root, 'rev-parse', '--verify', '-q', refOf(of)).ok) return
  const head = git(of, of.root, 'rev-parse', '--verify', '-q', 'HEAD')
  if (!head.ok)
    throw new EngineError('conflict', 'This repository has no commit yet, so no branch can begin.', {
      hint: 'git commit --allow-empty -m "Begin"',
    })
  // Nobody else may have begun it meanwhile.
  const begun = git(of, of.root, 'update-ref', refOf(of), head.out, '0'.repeat(head.out.length))
  if (!begun.ok) must(git(of, of.root, 'rev-parse', '--verify', refOf(of)), `begin ${integration(of)}`)
}

const TRAILER = 'Holdfast-Item'
const markOf = ({ effort_id }: Branches, item: string): string => `${TRAILER}: ${effort_id}/${item}`

/** The commit that merged an item; a worker may have died after it, and before its report. */
export function mergedBefore(of: Branches, item: string): string | undefined {
  const mark = markOf(of, item).replaceAll('.', String.raw`\.`)
  const found = git(of, of.root, 'log', '--merges', '-1', '--format=%h', '--grep', `^${mark}$`, refOf(of))
  return found.ok && found.out !== '' ? found.out : undefined
}

/** A worktree for one try of an item, on a branch from what is done so far. */
export function addWorktree(of: Branches, name: string): Worktree {
  const path = join(of.folder, name)
  const branch = `${integration(of)}-${name}`
  mkdirSync(dirname(path), { recursive: true })
  must(
    git(of, of.root, 'worktree', 'add', '-q', '-b', branch, path, refOf(of)),
    `make the worktree of ${name}`,
  )
  return { path, branch }
}

/** Commits what a worker left; true if the branch has anything of its own. */
export function commitAll(
  of: Branches,
  tree: Worktree,
  { item, title }: { item: string; title: string },
): boolean {
  must(git(of, tree.path, 'add', '-A', '--', '.', ':(exclude).holdfast'), 'stage what the worker left')
  if (!git(of, tree.path, 'diff', '--cached', '--quiet').ok)
    must(
      git(of, tree.path, 'commit', '-q', '-m', `${title}\n\n${markOf(of, item)}`),
      'commit what the worker left',
    )
  return must(git(of, tree.path, 'rev-list', '--count', `${refOf(of)}..HEAD`), 'count commits') !== '0'
}

/** Takes a worktree away; what its tasks hold is brought to the user's checkout before. */
export function removeWorktree(of: Branches, path: string): void {
  const tasks = join(path, '.holdfast', 'tasks')
  if (existsSync(tasks)) cpSync(tasks, join(of.root, '.holdfast', 'tasks'), { recursive: true, force: false })
  git(of, of.root, 'worktree', 'remove', '--force', path)
  rmSync(path, { recursive: true, force: true })
  git(of, of.root, 'worktree', 'prune')
}

/** Takes away what earlier tries of an item left because their workers died; their branches keep the work. */
export function sweep(
  of: Branches,
  { item, fence, title }: { item: string; fence: number; title: string },
): void {
  for (let past = 1; past < fence; past++) {
    const [path, branch] = [join(of.folder, `${item}-${past}`), `${integration(of)}-${item}-${past}`]
    if (existsSync(join(path, '.git'))) commitAll(of, { path, branch }, { item, title })
    for (const left of [path, `${path}.merge`]) if (existsSync(left)) removeWorktree(of, left)
  }
}

/** A merge that is not in force yet. */
export type Merging =
  | { readonly kind: 'merged'; readonly path: string; readonly commit: string; readonly onto: string }
  | { readonly kind: 'conflict'; readonly files: readonly string[] }

/** Merges a branch into what is done so far, in a worktree of its own. */
export function tryMerge(
  of: Branches,
  tree: Worktree,
  { item, title }: { item: string; title: string },
): Merging {
  const onto = must(git(of, of.root, 'rev-parse', refOf(of)), `find ${integration(of)}`)
  const path = `${tree.path}.merge`
  removeWorktree(of, path)
  must(git(of, of.root, 'worktree', 'add', '-q', '--detach', path, onto), 'make a worktree for the merge')
  const message = `Merge item ${item}: ${title}\n\n${markOf(of, item)}`
  const merged = git(of, path, 'merge', '-q', '--no-ff', '-m', message, tree.branch)
  if (merged.ok)
    return { kind: 'merged', path, commit: must(git(of, path, 'rev-parse', 'HEAD'), 'find the merge'), onto }
  const files = git(of, path, 'diff', '--name-only', '--diff-filter=U')
    .out.split('\n')
    .filter((file) => file !== '')
  removeWorktree(of, path)
  if (files.length === 0) must(merged, `merge ${tree.branch}`)
  return { kind: 'conflict', files }
}

/** Puts a merge in force, if nobody has merged meanwhile. */
export function putInForce(of: Branches, { commit, onto }: { commit: string; onto: string }): boolean {
  return git(of, of.root, 'update-ref', refOf(of), commit, onto).ok
}

/** The checkout that has the integration branch open; its files would no longer fit the branch. */
export function openIn(of: Branches): string | undefined {
  const listed = git(of, of.root, 'worktree', 'list', '--porcelain').out
  const block = listed.split('\n\n').find((one) => one.split('\n').includes(`branch ${refOf(of)}`))
  return block?.split('\n')[0]?.replace(/^worktree /, '')
}
