import { OUR_PROGRAMS, PLAIN_CHARACTERS } from '../model/shell/repair.ts'
import { shellWord } from '../model/shell/word.ts'

/** How long a pipe waits for its answer: as long as the daemon would take at most. */
const PIPE_SECONDS = 5
/** So much is read at once; more is left to `cat`, which costs a process but not a look at every byte. */
const SMALL_BYTES = 8192
const MOST_BYTES = 16_777_216
/** Less than a client gives the guard. */
const GUARD_SECONDS = 4

interface PipeOptions {
  /** The client's name, as the route has it. */
  readonly client: string
  /** The folder of the daemon; without it the one that the environment names, for files that are not of one user. */
  readonly home?: string
}

/** Where a pipe leads, and how long it waits. */
interface Pipe {
  readonly path: string
  /** For the answer. */
  readonly seconds: number
  /** The option of `read` that limits the wait for stdin; every byte is waited for then, which takes longer. */
  readonly patience?: string
  /** What is run where nothing can be sent. */
  readonly otherwise: string
}

export const PIPE_BEGINS = 'exec 2>/dev/null'

/** The file is a line of JSON that only the daemon writes. */
const READ_PORT = 'p=${k#*\\"port\\":};p="${p%%[!0-9]*}"'

/**
 * One line of POSIX shell that sends its stdin to the daemon and prints the answer, for clients and scopes that can
 * run commands but must not hold a token. Whatever is missing, dead or wrong: it prints nothing and exits with 0.
 */
export const pipeCommand = ({ client, home }: PipeOptions): string =>
  pipeTo(
    { path: `/hook/${client}`, seconds: PIPE_SECONDS, otherwise: `{ holdfast hook ${client};exit 0; }` },
    home,
  )

/** One line of shell that sends its stdin somewhere in the daemon and prints the answer. */
export function pipeTo(to: Pipe, home: string | undefined): string {
  const folder =
    home === undefined
      ? '"${HOLDFAST_HOME:-${XDG_STATE_HOME:-$HOME/.local/state}/holdfast}"'
      : shellWord(home)
  return [
    PIPE_BEGINS,
    `IFS= read -r k <${folder}/hook.json||exit 0`,
    `${READ_PORT};export p`,
    't=${k#*\\"token\\":\\"};export t="${t%%[!A-Za-z0-9_-]*}"',
    `s=${shellWord(bashScript(to))}`,
    '[ -n "$BASH_VERSION" ]&&eval "$s"',
    // What the user's shells read first could take long or print something.
    'unset BASH_ENV',
    'command -v bash >/dev/null&&exec bash -c "$s"',
    `command -v curl >/dev/null||${to.otherwise}`,
    curlScript(to),
    'exit 0',
  ].join(';')
}

/** Builtins only, because a process more costs more than all of this. */
function bashScript({ path, seconds, patience = '' }: Pipe): string {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1:%s',
    'Authorization: Bearer %s',
    'Content-Type: application/json',
    'Content-Length: %s',
    'Connection: close',
  ]
  return [
    // A daemon that ends while it is told something must not end us with an error.
    'trap "" PIPE',
    // So that lengths are counted in bytes, and nothing of the environment is taken for an answer.
    'LC_ALL=C;b=;r=',
    `IFS= read -r -N ${SMALL_BYTES}${patience} b&&b=$b$(cat)`,
    // Before bash 4.1 nothing has been read yet; above 128 it is because nobody has said anything in time.
    '[ $? -gt 128 ]||[ -n "$b" ]||b=$(cat)',
    [
      `{ printf "${head.join('\\r\\n')}\\r\\n\\r\\n%s" "$p" "$t" "\${#b}" "$b" >&3`,
      `IFS= read -r -N ${MOST_BYTES} -t ${seconds} r <&3`,
      `[ $? = 2 ]&&IFS= read -r -d "" -t ${seconds} r <&3`,
      '} 3<>"/dev/tcp/127.0.0.1/$p"',
    ].join(';'),
    'printf -v e "\\r\\n\\r\\n"',
    'b=${r#*"$e"};n=${r#*Content-Length: }',
    // Half an answer is none.
    'case $r in "HTTP/1.1 200 "*"$e"*)[ "${n%%[!0-9]*}" = "${#b}" ]&&printf %s "$b"',
    'esac',
    'exit 0',
  ].join(';')
}

/** The token goes through a pipe, because everybody can see the words of a command; no proxy and no settings of the user. */
const curlScript = ({ path, seconds }: Pipe): string =>
  [
    `r=$({ printf 'header="Authorization: Bearer %s"' "$t"|{ curl -q -K /dev/fd/3 -sf -m ${seconds} --noproxy '*'`,
    `-H 'Content-Type: application/json' --data-binary @- "http://127.0.0.1:$p${path}" 3<&0 0<&4`,
    ';};} 4<&0)&&printf %s "$r"',
  ].join(' ')

interface ProgramOptions {
  readonly client: string
  /** Absolute, because a hook runs with any PATH: the Node that runs it, and the file that it runs. */
  readonly node: string
  readonly entry: string
  /** The folder of the daemon that is meant, whatever the environment of the client says. */
  readonly home?: string
  /** How many milliseconds it may take, where the usual are too few. */
  readonly limit?: number
}

/** The line that brings the daemon up where it does not run. */
export function hookCommand({ client, node, entry, home, limit }: ProgramOptions): string {
  const [program, file] = [shellWord(node), shellWord(entry)]
  const where = home === undefined ? '' : `HOLDFAST_HOME=${shellWord(home)} `
  return `[ -x ${program} ]&&[ -f ${file} ]&&${where}${program} ${file} ${hookWords(client, limit)};exit 0`
}

const hookWords = (client: string, limit: number | undefined): string =>
  `hook ${client}${limit === undefined ? '' : ` --limit ${limit}`}`

/** The same for files that many machines share: whatever `holdfast` the PATH has, else only what is running. */
export function sharedHookCommand({ client, limit }: Pick<ProgramOptions, 'client' | 'limit'>): string {
  const words = hookWords(client, limit)
  return `${SHARED_BEGINS}holdfast ${words};exit 0;};${pipeCommand({ client })}`
}

const SHARED_BEGINS = 'command -v holdfast >/dev/null&&{ '

/**
 * Keeps shell commands from running while no daemon answers, except the plain calls of `holdfast` that can bring it
 * back: what could hold another command beside them is not one of these.
 */
export function guardCommand({ home }: { readonly home: string }): string {
  const ours = OUR_PROGRAMS.map((program) => `"${program}"*`).join('|')
  return [
    GUARD_BEGINS,
    'c=${b#*\\"command\\":\\"};c=${c%%\\"*}',
    `case $c in *[!${PLAIN_CHARACTERS.replaceAll(' ', '\\ ')}]*);;${ours})exit 0;;esac`,
    `IFS= read -r k <${shellWord(home)}/hook.json`,
    READ_PORT,
    // Only bash can look at a port without another program; without it nothing is known, and nothing is refused.
    'command -v bash >/dev/null||exit 0',
    `p=$p bash -c ${shellWord(LOOK)} 2>/dev/null||{ echo "${GUARD_SAYS}" >&2;exit 2;}`,
    'exit 0',
  ].join(';')
}

/** A daemon that hangs still has its port, and so may a stranger: what counts is how we refuse whoever has no token. */
const LOOK = `exec 3<>/dev/tcp/127.0.0.1/$p&&printf "GET / HTTP/1.1\\r\\n\\r\\n" >&3&&IFS= read -r -t ${GUARD_SECONDS} r <&3;[ "\${r%% 403*}" = HTTP/1.1 ]`

const GUARD_BEGINS = 'b=$(cat)'
const GUARD_KNOWN_BY = 'Holdfast is strict here'
const GUARD_SAYS = `${GUARD_KNOWN_BY} and its daemon does not answer. Bring it back: holdfast daemon start`

/** What a line of shell is to us, by the forms above; older forms of a client's settings must stay known here. */
export function kindOfCommand(command: string, client: string): 'hook' | 'guard' | undefined {
  if (command.startsWith(`${GUARD_BEGINS};`) && command.includes(GUARD_KNOWN_BY)) return 'guard'
  const isPipe = command.startsWith(PIPE_BEGINS) || command.startsWith(SHARED_BEGINS)
  if (isPipe) return command.includes(`POST /hook/${client} HTTP/1.1`) ? 'hook' : undefined
  const words = new RegExp(
    String.raw`^\[ -x .+ \]&&\[ -f .+ \]&&.+ hook ${client}(?: --limit \d+)?;exit 0$`,
    's',
  )
  return words.test(command) ? 'hook' : undefined
}
