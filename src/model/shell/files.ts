import { COST } from './args.ts'
import { runOpenFunctions, runScript } from './run.ts'
import { newScope } from './scope.ts'
import { ask, giveUp, runText, type Shell } from './shell.ts'

/** The files that a command reads and writes, by its text. */
export interface ShellFiles {
  readonly reads: ShellPaths
  /** Files that it creates, changes or removes. */
  readonly writes: ShellPaths
  /** Paths that it gives to programs that may do anything with them. */
  readonly asked: readonly string[]
  /** Paths that it gives to programs that change files, or unpack into folders, without a look at their texts. */
  readonly handled: readonly string[]
  /** Those of them that the program may change. */
  readonly changed: readonly string[]
  /** The words of each call of our program; undefined if a word is known only at run time. */
  readonly ours: readonly (readonly (string | undefined)[])[]
  /** What a copy or a move of many files takes along, as patterns. */
  readonly taken: readonly string[]
  /** Files among those that it reads that it copies or packs. */
  readonly copied: readonly string[]
  /** Whether it is more than we work out. */
  readonly isLimited: boolean
  /** Folders that it enters; what follows runs elsewhere if one does not exist. */
  readonly entered: readonly string[]
}

interface ShellPaths {
  /** Absolute paths, also as shell patterns or with `**` (see `matchesBelow`); a search names whole folders. */
  readonly paths: readonly string[]
  /** Whether some path is known only at run time. */
  readonly isUnresolved: boolean
}

const nothingFound = (): Shell['found'] => ({
  reads: nothing(),
  writes: nothing(),
  asked: new Set(),
  handled: new Set(),
  changed: new Set(),
  ours: [],
  taken: new Set(),
  copied: new Set(),
  isLimited: false,
  links: [],
  pipes: new Map(),
  exported: new Set(),
  isAllExported: false,
  hasOwnPrograms: false,
  entered: new Set(),
  made: [],
  runsUnknown: false,
})

/** The files that a shell command would show or change; files that a script opens stay unknown. */
export function shellFiles(
  command: string,
  cwd: string | undefined,
  home?: string,
  ours?: string,
): ShellFiles {
  const shell: Shell = {
    scope: newScope(cwd),
    home,
    ours,
    found: nothingFound(),
    budget: { left: 200_000 + 2 * COST * command.length },
    calls: { open: new Map(), areUnsure: false },
    input: undefined,
    separators: undefined,
    depth: 0,
    documents: new Map(),
    run: runScript,
  }
  try {
    runText(command, shell)
    runOpenFunctions(shell)
    if (shell.found.runsUnknown) ask([command], shell)
    if (shell.budget.left < 0) giveUp(shell)
  } catch {
    // The parser recurses, so deep nesting can exhaust the stack.
    giveUp(shell)
  }
  const { reads, writes, asked, handled, changed, ours: calls, taken, copied, entered } = shell.found
  // What there was no room for matters only if something is read by it.
  const isLimited = shell.found.isLimited || (shell.scope.limits.isReached && reads.isUnresolved)
  return {
    reads: listed(reads),
    writes: listed(writes),
    asked: [...asked],
    handled: [...handled],
    changed: [...changed],
    ours: calls,
    taken: [...taken],
    copied: [...copied],
    isLimited,
    entered: [...entered],
  }
}

const nothing = () => ({ paths: new Set<string>(), isUnresolved: false })

const listed = ({ paths, isUnresolved }: ReturnType<typeof nothing>): ShellPaths => ({
  paths: [...paths],
  isUnresolved,
})
