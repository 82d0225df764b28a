import type { Wiring } from '../model/client-settings.ts'
import { OUR_PROGRAMS, PLAIN_CHARACTERS } from '../model/shell/repair.ts'
import { shellWord } from '../model/shell/word.ts'

/** The time limit for the countersign, and again for the reply; old versions of bash have only whole seconds. */
const PIPE_SECONDS = 1
/** Bash reads up to this size itself; `cat` reads the rest faster. */
const SMALL_BYTES = 8192
const MOST_BYTES = 16_777_216

interface PipeOptions {
  /** The client's name, as the route has it. */
  readonly client: string
  /** The home of the daemon; files shared by several users leave it to the environment. */
  readonly home?: string
}

/** The target of a pipe and its time limits. */
interface Pipe {
  readonly path: string
  /** Time limit for the countersign and for the reply. */
  readonly seconds: number
  /** The option of `read` that limits the wait for stdin; it makes `read` slower. */
  readonly patience?: string
  /** The fallback command without bash, or with the key of an older daemon. */
  readonly otherwise: string
}

/** What the scripts that send an event need to know. */
type Sent = Omit<Pipe, 'otherwise'> & {
  /** The exit code without a whole reply. */
  readonly failed?: number
}

export const PIPE_BEGINS = 'exec 2>/dev/null'

/** Parses hook.json, which is one line of JSON that only the daemon writes. */
const READ_PORT = 'p=${k#*\\"port\\":};p="${p%%[!0-9]*}"'

/** Exports the port, the current token, the countersign that only the daemon knows, and the agent. */
const READ_KEY = [
  `${READ_PORT};export p`,
  't=${k#*\\"token\\":\\"};export t="${t%%[!A-Za-z0-9_-]*}"',
  // A file of an older version has none.
  'v=${k#*\\"countersign\\":\\"};export v="${v%%[!A-Za-z0-9_-]*}"',
  // A line break would end the header.
  'a=${HOLDFAST_AGENT:-$FLEET_PANE};export a="${a%%[[:cntrl:]]*}"',
].join(';')

/** The length of a countersign; a shorter one could be guessed. */
const HAS_COUNTERSIGN = '[ ${#v} = 43 ]'
/** The first line of the daemon's answer; only a daemon that was given its own token sends it. */
const COUNTERSIGN_LINE = 'HTTP/1.1 100 $v'
/** That line and the empty one. */
const COUNTERSIGN_BYTES = 60

/**
 * One line of POSIX shell that sends stdin to the daemon and prints the reply, without a token in any settings. It
 * sends the event only after the daemon has given its countersign. On any failure it prints nothing and exits with 0.
 */
export const pipeCommand = ({ client, home }: PipeOptions): string =>
  pipeTo(
    {
      path: `/hook/${client}`,
      seconds: PIPE_SECONDS,
      otherwise: `${findProgram(home)};"$h" hook ${client}`,
    },
    home,
  )

/** One line of shell that sends stdin to a route of the daemon and prints the reply. */
export function pipeTo(to: Pipe, home: string | undefined): string {
  return [
    PIPE_BEGINS,
    `IFS= read -r k <${folderOf(home)}/hook.json||exit 0`,
    READ_KEY,
    `s=${shellWord(bashScript(to))}`,
    `${HAS_COUNTERSIGN}&&[ -n "$BASH_VERSION" ]&&eval "$s"`,
    // The startup file of the user's shell could be slow or print text.
    'unset BASH_ENV',
    `${HAS_COUNTERSIGN}&&command -v bash >/dev/null&&exec bash -c "$s"`,
    to.otherwise,
    'exit 0',
  ].join(';')
}

/** The home as a shell word. */
const folderOf = (home: string | undefined): string =>
  home === undefined ? '"${HOLDFAST_HOME:-${XDG_STATE_HOME:-$HOME/.local/state}/holdfast}"' : shellWord(home)

/** Whether a line of ours asks the daemon of a home, or of the home that the environment names. */
export const asksHome = (command: string, home: string): boolean =>
  [`<${folderOf(home)}/hook.json`, shellWord(`${home}/bin/holdfast`), folderOf(undefined)].some((part) =>
    command.includes(part),
  )

/** Sets `h` to the launcher of the home; without one, to `holdfast` from the PATH. */
const findProgram = (home: string | undefined): string =>
  `h=${folderOf(home)}/bin/holdfast;[ -x "$h" ]||h=holdfast`

/** Uses only builtins, because one more process takes longer than the whole script. */
function bashScript({ path, seconds, patience = '', failed = 0 }: Sent): string {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1:%s',
    'Authorization: Bearer %s',
    'Holdfast-Agent: %s',
    'Content-Type: application/json',
    'Content-Length: %s',
    'Connection: close',
    // The daemon answers to the head before it reads the event.
    'Expect: 100-continue',
  ]
  const receive = `IFS= read -r -t ${seconds}`
  return [
    // The hook must not fail if the daemon ends while it receives the event.
    'trap "" PIPE',
    // Count lengths in bytes, and ignore variables of the environment.
    'LC_ALL=C;b=;r=;x=',
    `IFS= read -r -N ${SMALL_BYTES}${patience} b&&b=$b$(cat)`,
    // Bash before 4.1 has read nothing yet; a status above 128 means a timeout.
    '[ $? -gt 128 ]||[ -n "$b" ]||b=$(cat)',
    [
      `{ printf "${head.join('\\r\\n')}\\r\\n\\r\\n" "$p" "$t" "$a" "\${#b}" >&3`,
      `${receive} -N ${COUNTERSIGN_BYTES} x <&3`,
      `[ $? = 2 ]&&${receive} x <&3&&${receive} n <&3`,
      // A program without the countersign gets no event, and its reply is dropped.
      `case $x in "${COUNTERSIGN_LINE}"*)printf %s "$b" >&3`,
      `${receive} -N ${MOST_BYTES} r <&3`,
      `[ $? = 2 ]&&${receive} -d "" r <&3`,
      'esac;} 3<>"/dev/tcp/127.0.0.1/$p"',
    ].join(';'),
    'printf -v e "\\r\\n\\r\\n"',
    'b=${r#*"$e"};n=${r#*Content-Length: }',
    // Print only a complete reply.
    'case $r in "HTTP/1.1 200 "*"$e"*)[ "${n%%[!0-9]*}" = "${#b}" ]&&printf %s "$b"&&exit 0',
    'esac',
    `exit ${failed}`,
  ].join(';')
}

interface ProgramOptions {
  readonly client: string
  /** The path of the launcher, because a hook runs with any PATH. */
  readonly launcher: string
  /** Time limit in milliseconds, if the default is too short. */
  readonly limit?: number
}

/** The line of shell that starts the daemon if it is not running. */
export function hookCommand({ client, launcher, limit }: ProgramOptions): string {
  const program = shellWord(launcher)
  return `[ -x ${program} ]&&${program} ${hookWords(client, limit)};exit 0`
}

const hookWords = (client: string, limit: number | undefined): string =>
  `hook ${client}${limit === undefined ? '' : ` --limit ${limit}`}`

interface SharedOptions extends Pick<ProgramOptions, 'client' | 'limit'> {
  /** A shell word for a script that finds our program; without one, the launcher of the home or `holdfast` from the PATH. */
  readonly finder?: string
}

/** The same for files that several users share: without a program, it only tells a running daemon. */
export function sharedHookCommand({ client, limit, finder }: SharedOptions): string {
  const find = finder === undefined ? findProgram(undefined) : `h=${finder}`
  return `${find};${SHARED_BEGINS}"$h" ${hookWords(client, limit)};exit 0;};${pipeCommand({ client })}`
}

const SHARED_BEGINS = 'command -v "$h" >/dev/null&&{ '
/** The beginning of older versions. */
const SHARED_BEGAN = 'command -v holdfast >/dev/null&&{ '

/**
 * Asks the daemon about a shell command, with the current token, whatever the settings hold. Without an answer it
 * refuses, except for plain calls of `holdfast` that can start the daemon; a line with another command is none.
 */
export function guardCommand({
  client,
  home,
  launcher,
}: Pick<Wiring, 'home' | 'launcher'> & { readonly client: string }): string {
  const ours = OUR_PROGRAMS.map((program) => `"${program}"*`).join('|')
  const program = shellWord(launcher)
  // As it stands in the payload, which is JSON.
  const called = shellWord(`${JSON.stringify(program).slice(1, -1)} `)
  const sent = { path: `/hook/${client}/strict`, seconds: PIPE_SECONDS, failed: 1 }
  const answered = '&&{ printf %s "$r";exit 0;}'
  return [
    GUARD_BEGINS,
    `IFS= read -r k <${shellWord(home)}/hook.json`,
    READ_KEY,
    `s=${shellWord(bashScript(sent))}`,
    'unset BASH_ENV',
    `if command -v bash >/dev/null;then ${HAS_COUNTERSIGN}&&r=$(printf %s "$b"|bash -c "$s" 2>/dev/null)${answered}`,
    // It cannot say that nobody answered.
    `else [ -x ${program} ]&&printf %s "$b"|${program} hook ${client};exit 0;fi`,
    'c=${b#*\\"command\\":\\"};c=${c%%\\"*}',
    `l=${called};case $c in "$l"*)c="holdfast \${c#"$l"}";;esac`,
    `case $c in *[!${PLAIN_CHARACTERS.replaceAll(' ', '\\ ')}]*);;${ours})exit 0;;esac`,
    `printf '%s\\n' ${shellWord(guardSays(program))} >&2`,
    'exit 2',
  ].join(';')
}

const GUARD_BEGINS = 'b=$(cat)'
/** The second one is the text of older versions. */
const GUARD_KNOWN_BY = ['Holdfast: strict mode is on', 'Holdfast is strict here'] as const
/** The refusal of a shell command while the daemon does not answer. */
export const guardSays = (program: string): string =>
  `${GUARD_KNOWN_BY[0]} and the daemon does not answer. Start it: ${program} daemon start`

/** Recognizes our lines of shell, including the forms that older versions wrote. */
export function kindOfCommand(command: string, client: string): 'hook' | 'guard' | undefined {
  const isGuard =
    command.startsWith(`${GUARD_BEGINS};`) && GUARD_KNOWN_BY.some((text) => command.includes(text))
  if (isGuard) return command.includes(`POST /hook/${client}/strict HTTP/1.1`) ? 'hook' : 'guard'
  const isPipe =
    command.startsWith(PIPE_BEGINS) ||
    command.startsWith(SHARED_BEGAN) ||
    (command.startsWith('h=') && command.includes(SHARED_BEGINS))
  if (isPipe) return command.includes(`POST /hook/${client} HTTP/1.1`) ? 'hook' : undefined
  const words = new RegExp(
    String.raw`^\[ -x .+ \]&&(?:\[ -f .+ \]&&.+|.+/bin/holdfast'?) hook ${client}(?: --limit \d+)?;exit 0$`,
    's',
  )
  return words.test(command) ? 'hook' : undefined
}
