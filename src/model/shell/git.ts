import { split, type Value } from './args.ts'

/** What a git command does with the files of a repository. */
export interface GitCall {
  /** The folder that it runs in. */
  readonly folder: Value
  /** What it shows: paths of the working tree, and those that count from the root of the repository. */
  readonly shown: readonly Value[]
  readonly fromRoot: readonly string[]
  /** What it copies; a folder may hold a lot. */
  readonly copied: readonly Value[]
  /** The old and the new name of what it moves. */
  readonly moved: readonly Value[]
  /** True if it shows nothing of files. */
  readonly isQuiet: boolean
}

const GLOBAL = 'Cc'
const SHOWING: ReadonlySet<string> = new Set(
  'show diff log blame annotate cat-file grep archive format-patch diff-tree diff-index diff-files difftool range-diff whatchanged'.split(
    ' ',
  ),
)
const QUIET: ReadonlySet<string> = new Set(
  (
    'add status commit push pull fetch stash checkout switch restore reset rm mv branch tag remote init check-ignore ' +
    'check-attr ls-files ls-tree ls-remote rev-parse rev-list merge rebase cherry-pick revert clean gc submodule bisect ' +
    'describe name-rev shortlog reflog symbolic-ref update-index update-ref merge-base for-each-ref fsck count-objects ' +
    'prune sparse-checkout worktree clone bundle checkout-index var version help'
  ).split(' '),
)
/** Subcommands that copy the whole repository. */
const COPYING: ReadonlySet<string> = new Set(['worktree', 'clone', 'bundle', 'checkout-index'])

/** Subcommands that show changes, with the options that make them show only names and numbers. */
const CHANGES: ReadonlySet<string> = new Set(
  'show diff log whatchanged diff-tree diff-index diff-files'.split(' '),
)
const SUMMARY =
  /^--(stat|name-only|name-status|shortstat|numstat|quiet|check|dirstat|summary|compact-summary|no-patch)\b|^-s$/
const PATCH = /^(-p|-u|--patch|-L|-U|-c$|--cc|-W|--word-diff|--color-words)/
/** Subcommands that show changes only on request. */
const LISTING: ReadonlySet<string> = new Set('log diff-tree diff-index diff-files'.split(' '))
/** The letters of options that take a value. */
const VALUED: Readonly<Record<string, string>> = { log: 'nLSG', grep: 'ABCefm', archive: 'o', blame: 'LSC' }

/** Options of quiet subcommands that read a file into the repository or run something. */
const LEAKS = /^(-F|--file|--template|--pathspec-from-file|--exec|-x)/

/** Reads the arguments of git; undefined if its subcommand is unknown. */
export function gitCall(args: readonly Value[]): GitCall | undefined {
  const begin = subcommandAt(args)
  const sub = args[begin] ?? ''
  const rest = args.slice(begin + 1)
  const folder = folderIn(args.slice(0, begin))
  const nothing = { folder, shown: [], fromRoot: [], copied: [], moved: [], isQuiet: true }
  if (args.slice(0, begin).some((arg) => RUNS.test(arg ?? ''))) return undefined
  if (sub === 'stash' && rest.includes('show')) return { ...nothing, isQuiet: !rest.some(isPatch) }
  if (COPYING.has(sub)) return { ...nothing, copied: ['.'] }
  if (sub === 'mv') return { ...nothing, moved: split(rest, '').operands }
  if (QUIET.has(sub)) return rest.some((arg) => LEAKS.test(arg ?? '')) ? undefined : nothing
  if (!SHOWING.has(sub)) return undefined
  if (isSummary(sub, rest)) return nothing
  const named = pathsOf(sub, rest)
  if (sub === 'archive') return { ...nothing, copied: named.paths.length < 2 ? ['.'] : named.paths.slice(1) }
  return { ...nothing, shown: named.paths, fromRoot: named.fromRoot, isQuiet: false }
}

/** Settings that make a word a command, or that run one. */
const RUNS = /^alias\.|=!|textconv|external|pager=(?!cat$|$)|editor|command|filter|hookspath|fsmonitor/i

/** Whether a subcommand shows only names and numbers. */
function isSummary(sub: string, rest: readonly Value[]): boolean {
  const has = (pattern: RegExp) => rest.some((arg) => pattern.test(arg ?? ''))
  if (sub === 'grep') return has(/^-[a-zA-Z]*[lLcq]$|^--(files-with|count|quiet|name-only)/)
  if (sub === 'cat-file') return has(/^-[ste]$/)
  if (!CHANGES.has(sub)) return false
  return (has(SUMMARY) || LISTING.has(sub)) && !rest.some(isPatch)
}

const isPatch = (arg: Value): boolean => PATCH.test(arg ?? '')

function subcommandAt(args: readonly Value[]): number {
  let at = 0
  while (at < args.length && args[at]?.startsWith('-') === true)
    at +=
      GLOBAL.includes(args[at]?.slice(1) ?? ' ') || /^--(git-dir|work-tree|namespace)$/.test(args[at] ?? '')
        ? 2
        : 1
  return at
}

function folderIn(options: readonly Value[]): Value {
  const at = options.lastIndexOf('-C')
  return at === -1 ? '.' : options[at + 1]
}

/** The paths among revisions and patterns; a revision is no file, so it does no harm. */
function pathsOf(sub: string, rest: readonly Value[]) {
  const { operands, every } = split(rest, VALUED[sub] ?? '')
  const dashes = rest.indexOf('--')
  const isPatternFirst = sub === 'grep' && !every.some(([name]) => name === '-e' || name === '-f')
  const given = dashes === -1 ? operands.slice(isPatternFirst ? 1 : 0) : rest.slice(dashes + 1)
  // `--exclude-dir` and the like do not matter: the named paths are those that may be shown.
  const ranges = every.flatMap(([name, value]) => (name === '-L' ? [value?.replace(/^.*:/, '')] : []))
  const before = dashes === -1 ? [] : operands.slice(0, operands.length - given.length)
  const revisions = [...given, ...before].filter((one) => one?.includes(':') === true)
  const paths = [...given.filter((one) => one?.includes(':') !== true || dashes !== -1), ...ranges]
  // As in `HEAD:a.md`, `:a.md` and `:0:a.md`; a dot means the current folder.
  const inside = revisions.flatMap((one) => one?.replace(/^[^:]*:(?:[0-3]:)?/, '') ?? [])
  return {
    paths: [...paths, ...inside.filter((one) => one.startsWith('.'))].filter((one) => one !== ''),
    fromRoot: inside,
  }
}
