import { shellWord } from '../model/shell/word.ts'
import { PIPE_BEGINS, pipeTo } from './commands.ts'

/** A line that comes later is one that nobody waits for. */
const SECONDS = 1

interface LineOptions {
  readonly client: string
  /** The folder of the daemon; without it the one that the environment names. */
  readonly home?: string
  /** The user's own status line, which is drawn above ours. */
  readonly wraps?: string | undefined
}

/**
 * What a client runs for its status line: tells the daemon what it is told, and prints where the session stands. What
 * was there before runs in the same shell with the same input, and what it prints stays as it is. It may take long and
 * be ended by the client, so that the daemon is told first. Whatever is wrong with us, only that is printed.
 */
export function statusLineCommand({ client, home, wraps }: LineOptions): string {
  const ours = pipeTo(
    { path: pathOf(client), seconds: SECONDS, patience: ` -t ${SECONDS}`, otherwise: 'exit 0' },
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

/** Whether a command is a status line of ours, and which one it wraps. */
export function readStatusLine(
  command: string,
  client: string,
): { readonly wraps: string | undefined } | undefined {
  if (!command.includes(`POST ${pathOf(client)} HTTP/1.1`)) return undefined
  if (command.startsWith(PIPE_BEGINS)) return { wraps: undefined }
  // The last, because what is wrapped may be anything.
  const end = command.lastIndexOf(`;${WRAP_READS};`)
  if (!command.startsWith(WRAP_BEGINS) || end === -1) return undefined
  return { wraps: textOf(command.slice(WRAP_BEGINS.length, end)) }
}

const pathOf = (client: string): string => `/statusline/${client}`

const WRAP_BEGINS = 'holdfast_line='
const WRAP_READS = 'holdfast_in=$(cat)'

/** What a word of a shell stands for, as `shellWord` writes it. */
const textOf = (word: string): string =>
  word.startsWith("'") ? word.slice(1, -1).replaceAll(String.raw`'\''`, "'") : word
