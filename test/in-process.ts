import { exitCodeOf } from '../src/cli/frame/dispatch.ts'
import { commands } from '../src/cli/commands/index.ts'
import { ENTRY, type Finished, type User } from './holdfast.ts'

interface Around {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** The columns of the terminal; a pipe has none, and 80 are taken. */
  readonly width?: number
}

/** Runs a command of a user in this process, for stories in which the process is not the point; it has no stdin. */
export async function runHere(
  user: User,
  words: readonly string[],
  { cwd = user.project, env = {}, width = 80 }: Around = {},
): Promise<Finished> {
  const [out, err]: [string[], string[]] = [[], []]
  const code = await exitCodeOf(words, commands, {
    env: { ...user.env, ...env },
    cwd,
    entry: ENTRY,
    json: words.includes('--json'),
    color: false,
    width,
    out: (text) => void out.push(`${text}\n`),
    note: (text) => void err.push(`${text}\n`),
  })
  return { code, stdout: out.join(''), stderr: err.join('') }
}
