import { COST } from './args.ts'
import { runOpenFunctions, runScript } from './run.ts'
import { newScope } from './scope.ts'
import { giveUp, runText, type Shell } from './shell.ts'

/** The files that a command reads and writes, by its text. */
export interface ShellFiles {
  readonly reads: ShellPaths
  /** Files that it creates, changes or removes. */
  readonly writes: ShellPaths
  /** Whether it runs a program that can open any file. */
  readonly opens: boolean
}

interface ShellPaths {
  /** Absolute paths, also as shell patterns or with `**` (see `matchesBelow`); a search names whole folders. */
  readonly paths: readonly string[]
  /** Whether some path is known only at run time. */
  readonly isUnresolved: boolean
}

/** The files that a shell command would show or change; files that a script opens stay unknown. */
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
    // The parser recurses, so deep nesting can exhaust the stack.
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
