import { pickedBy } from '../text/file-types.ts'
import { searchedBelow, split, type Value } from './args.ts'

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
  /** The names that its output stands for. */
  readonly printed: readonly Value[]
  /** True if it shows nothing of files. */
  readonly isQuiet: boolean
}

const GLOBAL = 'Cc'
const SHOWING: ReadonlySet<string> = new Set(
  'show diff log blame annotate cat-file grep archive format-patch diff-tree diff-index diff-files difftool range-diff whatchanged reflog'.split(
    ' ',
  ),
)
const QUIET: ReadonlySet<string> = new Set(
  (
    'add status commit push pull fetch stash checkout switch restore reset rm mv branch tag remote init check-ignore ' +
    'check-attr ls-files ls-tree ls-remote rev-parse rev-list merge rebase cherry-pick revert clean gc submodule bisect ' +
    'describe name-rev shortlog symbolic-ref update-index update-ref merge-base for-each-ref fsck count-objects ' +
    'prune sparse-checkout worktree clone bundle checkout-index var version help'
  ).split(' '),
)
/** Quiet subcommands that show changes if they are asked to. */
const PARTLY: ReadonlySet<string> = new Set('status add checkout restore reset stash'.split(' '))
/** Subcommands that print names of files, or of their contents. */
const NAMING: ReadonlySet<string> = new Set(['ls-files', 'ls-tree', 'rev-parse', 'hash-object'])
/** Subcommands that print or copy the whole repository. */
const PRINTING: ReadonlySet<string> = new Set(['fast-export', 'pack-objects', 'cat-file'])
const COPYING: ReadonlySet<string> = new Set(['worktree', 'clone', 'bundle', 'checkout-index'])

/** Subcommands that show changes, with the options that make them show only names and numbers. */
const CHANGES: ReadonlySet<string> = new Set(
  'show diff log whatchanged diff-tree diff-index diff-files reflog'.split(' '),
)
const SUMMARY =
  /^--(stat|name-only|name-status|shortstat|numstat|quiet|check|dirstat|summary|compact-summary|no-patch)\b|^-s$/
const PATCH = /^(-p|-u|--patch|-L|-U|--unified|--binary|-c$|--cc|-W|--word-diff|--color-words)/
/** Subcommands that show changes only on request. */
const LISTING: ReadonlySet<string> = new Set('log diff-tree diff-index diff-files reflog'.split(' '))
/** The letters of options that take a value. */
const VALUED: Readonly<Record<string, string>> = { log: 'nLSG', grep: 'ABCefm', archive: 'o', blame: 'LSC' }

/** Options of quiet subcommands that read a file into the repository or run something; `-` is the input. */
const LEAKS =
  /^(--fil\w*|--template|--pathspec-from-file|--exec|-x|--upload-pack|--receive-pack|ext::)(?!=-$)/
/** Short options of messages, also behind other letters; the text of `-m` may follow its letter. */
const MESSAGES: Readonly<Record<string, RegExp>> = {
  commit: /^-[a-ln-zA-Z]*(?:F(?!-?$)|F$|t)/,
  tag: /^-[a-ln-zA-Z]*F(?!-$)/,
  merge: /^-[a-ln-zA-Z]*F(?!-$)/,
  clone: /^-[a-z]*u$/,
}
/** Words after which a subcommand runs a program of the user. */
const RUNNERS: Readonly<Record<string, string>> = { bisect: 'run', submodule: 'foreach' }

/** Subcommands of everyday work that leave the files of the working tree as they are. */
const KEEPING: ReadonlySet<string> = new Set(
  'add commit diff log show status blame grep ls-files ls-tree check-ignore rev-parse rev-list cat-file push fetch'.split(
    ' ',
  ),
)

/** Whether a call of git changes no file that it names. */
export const keepsFiles = (args: readonly Value[]): boolean => KEEPING.has(args[subcommandAt(args)] ?? '')

/** Reads the arguments of git; undefined if its subcommand is unknown. */
export function gitCall(args: readonly Value[]): GitCall | undefined {
  const begin = subcommandAt(args)
  const sub = args[begin] ?? ''
  const rest = args.slice(begin + 1)
  const folder = folderIn(args.slice(0, begin))
  const printed = NAMING.has(sub) ? split(rest, '').operands : []
  const nothing = { folder, shown: [], fromRoot: [], copied: [], moved: [], printed, isQuiet: true }
  if (args.slice(0, begin).some((arg) => RUNS.test(arg ?? ''))) return undefined
  if (runs(sub, rest)) return undefined
  if (sub === 'stash' && rest.includes('show')) return { ...nothing, isQuiet: !rest.some(isPatch) }
  if (rest.some((arg) => /^--(?:all|batch-all-objects)$/.test(arg ?? '')) && PRINTING.has(sub))
    return { ...nothing, copied: ['.'] }
  if (COPYING.has(sub)) return leaks(sub, rest) ? undefined : { ...nothing, copied: copiedBy(sub, rest) }
  if (PARTLY.has(sub) && rest.some((arg) => /^(?:-p|--patch|-v+|--verbose)$/.test(arg ?? '')))
    return { ...nothing, shown: split(rest, '').operands, isQuiet: false }
  if (sub === 'mv') return { ...nothing, moved: split(rest, '').operands }
  if (sub === 'hash-object' && !rest.includes('-w')) return nothing
  // Another working tree gets copies.
  const isElsewhere = args.slice(0, begin).some((arg) => arg?.startsWith('--work-tree') === true)
  // A name that they give to a text in a revision shows it later.
  if (/^(?:tag|update-ref)$/.test(sub) && rest.some((arg) => /^(?!-)\S*:\S/.test(arg ?? ''))) return undefined
  if (QUIET.has(sub)) return leaks(sub, rest) || isElsewhere ? undefined : nothing
  if (!SHOWING.has(sub)) return undefined
  if (isSummary(sub, rest)) return nothing
  const named = pathsOf(sub, rest)
  if (sub === 'archive') return { ...nothing, ...archived(rest, named) }
  return { ...nothing, shown: named.paths, fromRoot: named.fromRoot, isQuiet: false }
}

/** Settings that make a word a command, or that run one. */
const RUNS =
  /^alias\.|=!|textconv|external|pager=(?!cat$|$)|editor|command|filter|hookspath|fsmonitor|ext\.allow/i
/** Options that name a file or a program which is shown or run. */
export const NAMES_FILE = /^--(?:contents|add-file|add-virtual-file|extcmd|open-files-in-pager)=/

const runs = (sub: string, rest: readonly Value[]): boolean =>
  RUNNERS[sub] !== undefined && rest.includes(RUNNERS[sub])

function leaks(sub: string, rest: readonly Value[]): boolean {
  const isInput = (at: number) => rest[at + 1] === '-' && /^(?:-\w*F|--file)$/.test(rest[at] ?? '')
  return rest.some(
    (arg, at) => (LEAKS.test(arg ?? '') || MESSAGES[sub]?.test(arg ?? '') === true) && !isInput(at),
  )
}

/** A copy of some files of the index, or of everything. */
function copiedBy(sub: string, rest: readonly Value[]): readonly Value[] {
  const { operands } = split(rest, '')
  if (sub !== 'checkout-index' || operands.length === 0) return ['.']
  // Without one of these options, the files get their old text back.
  return rest.some((arg) => /^--(?:p|t)/.test(arg ?? '')) ? operands : []
}

/** An archive of some paths, of a folder in a revision, or of everything. */
function archived(rest: readonly Value[], { paths, fromRoot }: ReturnType<typeof pathsOf>) {
  const named = rest.includes('--') || fromRoot.length > 0 ? paths : paths.slice(1)
  return { fromRoot, copied: named.length + fromRoot.length === 0 ? ['.'] : named }
}

/** Whether a subcommand shows only names and numbers. */
function isSummary(sub: string, rest: readonly Value[]): boolean {
  const has = (pattern: RegExp) => rest.some((arg) => pattern.test(arg ?? ''))
  if (sub === 'grep')
    return split(rest, VALUED['grep'] ?? '').every.some(([name]) =>
      /^-[lLcq]$|^--(files-with|count|quiet|name-only)/.test(name),
    )
  if (sub === 'cat-file') return has(/^-[ste]$/)
  if (!CHANGES.has(sub)) return false
  // Of a file in a revision, its text is shown with any of these options.
  if (sub === 'show' && has(/^(?!-)[^(]*:[^(]/)) return false
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
  const folders = options.flatMap((option, at) => (options[at - 1] === '-C' ? [option] : []))
  return folders.length === 0
    ? '.'
    : folders.reduce((folder, next) =>
        folder === undefined || next === undefined || next.startsWith('/') ? next : `${folder}/${next}`,
      )
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
  // As in `HEAD:a.md`, `:a.md`, `:0:a.md` and `:(top)a.md`; a dot means the current folder.
  const inside = revisions.flatMap(
    (one) => one?.replace(/^(?:\{[^}]*\}|[^:{])*:(?:[0-3]:|\([^)]*\)|[/!^])?/, '') ?? [],
  )
  const searched = sub === 'grep' && given.length === 0 ? ['.'] : []
  return {
    paths: [...paths, ...searched, ...[...paths, ...inside].flatMap(matched)].filter((one) => one !== ''),
    fromRoot: inside,
  }
}

/** A star of git also stands for folders; a mere ending searches the whole project. */
function matched(path: Value): readonly Value[] {
  const plain = path?.replace(/^:\([^)]*\)/, '') ?? ''
  const whole = plain.startsWith('.') ? [plain] : []
  if (!/[*?[]/.test(plain)) return whole
  return [...whole, ...pickedBy('.', plain), ...whole.flatMap(searchedBelow)]
}
