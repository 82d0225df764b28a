import { COST } from './args.ts'
import { runOpenFunctions, runScript } from './run.ts'
import { newScope } from './scope.ts'
import { giveUp, runText, type Shell } from './shell.ts'

/** What a command does with files, as far as its text tells. */
export interface ShellFiles {
  readonly reads: ShellPaths
  /** What it makes, changes or removes. */
  readonly writes: ShellPaths
  /** Whether it runs a program that opens files by itself. */
  readonly opens: boolean
}

interface ShellPaths {
  /**
   * Absolute. One may hold a pattern of the shell, may lead through any number of folders (see `matchesBelow`), and
   * stands for a whole folder where a search goes through one.
   */
  readonly paths: readonly string[]
  /** Whether there is something whose name only running it would tell. */
  readonly isUnresolved: boolean
}

/** The files that a shell command would show or change. What a program opens by itself (a script) cannot be known. */
export function shellFiles(command: string, cwd: string | undefined, home?: string): ShellFiles {
  const shell: Shell = {
    scope: newScope(cwd),
    home,
    found: { reads: nothing(), writes: nothing(), opens: false },
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
  } catch {
    // The parser reads some nesting by recursion: what exhausts the stack is a command that cannot be read.
    giveUp(shell)
  }
  const { reads, writes, opens } = shell.found
  return { reads: listed(reads), writes: listed(writes), opens }
}

const nothing = () => ({ paths: new Set<string>(), isUnresolved: false })

const listed = ({ paths, isUnresolved }: ReturnType<typeof nothing>): ShellPaths => ({
  paths: [...paths],
  isUnresolved,
})
