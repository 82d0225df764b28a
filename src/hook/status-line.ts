import { shellWord } from '../model/shell/word.ts'
import { PIPE_BEGINS, pipeTo } from './commands.ts'

/** Time limit of a status line. */
const SECONDS = 1

interface LineOptions {
  readonly client: string
  /** The home of the daemon (default: from the environment). */
  readonly home?: string
  /** The user's own status line, shown above ours. */
  readonly wraps?: string | undefined
}

/**
 * The command of a client's status line: sends the payload to the daemon and prints the state of the session.
 * The user's own line runs with the same input, and its output stays unchanged. The daemon gets the payload first,
 * because the client may end a slow line. If the daemon fails, only the user's line appears.
 */
export function statusLineCommand({ client, home, wraps }: LineOptions): string {
  const ours = pipeTo(
    { path: pathOf(client), seconds: SECONDS, patience: ` -t ${SECONDS}`, otherwise: ':' },
    home,
  )
  if (wraps === undefined) return ours
  const given = String.raw`printf '%s\n' "$holdfast_in"`
  return [
    `${WRAP_BEGINS}${shellWord(wraps)}`,
    WRAP_READS,
    `holdfast_says=$(${given}|{ ${ours};})`,
    `holdfast_line=$(${given}|(eval "$holdfast_line"))`,
    'for holdfast_in in "$holdfast_line" "$holdfast_says"',
    String.raw`do [ -z "$holdfast_in" ]||printf '%s\n' "$holdfast_in"`,
    'done',
    'exit 0',
  ].join(';')
}

/** Recognizes our status line, and returns the command that it wraps. */
export function readStatusLine(
  command: string,
  client: string,
): { readonly wraps: string | undefined } | undefined {
  if (!command.includes(`POST ${pathOf(client)} HTTP/1.1`)) return undefined
  if (command.startsWith(PIPE_BEGINS)) return { wraps: undefined }
  // The last match, because the wrapped command may contain the same text.
  const end = command.lastIndexOf(`;${WRAP_READS};`)
  if (!command.startsWith(WRAP_BEGINS) || end === -1) return undefined
  return { wraps: textOf(command.slice(WRAP_BEGINS.length, end)) }
}

const pathOf = (client: string): string => `/statusline/${client}`

const WRAP_BEGINS = 'holdfast_line='
const WRAP_READS = 'holdfast_in=$(cat)'

/** The text of a shell word that `shellWord` wrote. */
const textOf = (word: string): string =>
  word.startsWith("'") ? word.slice(1, -1).replaceAll(String.raw`'\''`, "'") : word
