import { VERSION } from '../../daemon/version.ts'
import { EngineError, ERROR_CODES, knownError } from '../../model/error.ts'
import { nearest } from '../../model/text/nearest.ts'
import { isByHand } from '../../model/text/told-commands.ts'
import { type Arguments, parseArguments } from './args.ts'
import type { Command } from './command.ts'
import { formerCommand } from './former.ts'
import { commandHelp, groupHelp, helpData, overview } from './help.ts'
import { inWordsOf } from './in-words.ts'
import { type Io, systemIo, usage } from './io.ts'
import { paint } from './print.ts'
import { checkPlaceholders } from './placeholder.ts'
import { resultForShell } from './program.ts'
import { fitTerminal, printVerbatim } from './show.ts'
import { fit } from './wrap.ts'

/** Runs a command line and sets the exit code of the process. */
export async function run(words: readonly string[], commands: Commands, before?: Before): Promise<void> {
  const io = systemIo(words.includes('--json'))
  // A closed pipe, as by `head`, is not a failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  process.exitCode = ERROR_CODES.internal.exit
  const shown = words.includes('--no-color') ? { ...io, color: false } : io
  process.exitCode = await exitCodeOf(words, commands, shown, before)
}

type Commands = readonly Command[]

/** What happens before a command runs; it may refuse, or say more about the caller. */
export type Before = (
  io: Io,
  call: { readonly command: Command; readonly given: Arguments; readonly words: readonly string[] },
) => Promise<Io>

/** Runs a command line and returns its exit code; the only place that maps errors to exit codes. */
export async function exitCodeOf(
  words: readonly string[],
  commands: Commands,
  io: Io,
  before?: Before,
): Promise<number> {
  try {
    return await dispatch(words, commands, io, before)
  } catch (error) {
    const code = explain(error, { ...io, json: words.includes('--json') })
    // INV_HOOK_NEVER_BREAKS_THE_AGENT
    const typed = words.filter((word) => !word.startsWith('-'))
    return find(commands, typed)?.isHarmless === true ? 0 : code
  }
}

async function dispatch(
  given: readonly string[],
  commands: Commands,
  io: Io,
  before: Before = (same) => Promise.resolve(same),
): Promise<number> {
  const asksForHelp = given.find((word) => !word.startsWith('-')) === 'help'
  const options = given.slice(0, given.includes('--') ? given.indexOf('--') : given.length)
  const wantsHelp = asksForHelp || options.some((word) => word === '--help' || word === '-h')
  const isWhole = wantsHelp && options.includes('--all')
  const asked = asksForHelp ? given.toSpliced(given.indexOf('help'), 1) : given
  const typed = isWhole ? asked.toSpliced(asked.indexOf('--all'), 1) : asked
  const named = typed.findIndex((word) => !word.startsWith('-'))
  const leading = parseArguments(
    typed.slice(0, named === -1 ? typed.length : named).filter(isNotVersion),
    {},
    '',
  )
  const words = named === -1 ? [] : typed.slice(named)
  if (named === -1 && typed.some((word) => !isNotVersion(word))) return printVersion(withFlags(io, leading))
  const help = (about: Commands, text: string, shown: Io) => printHelp(shown, helpData(about, isWhole), text)
  if (words.length === 0) return help(commands, overview(io, commands, isWhole), withFlags(io, leading))
  const full = find(commands, words)
  const command = full ?? (wantsHelp ? undefined : shownBy(commands, words))
  if (command === undefined) {
    const group = groupOf(commands, words)
    return help(group, groupHelp(io, group, isWhole), withFlags(io, leading))
  }
  const own = parseArguments(
    words.slice(full === undefined ? 1 : full.name.split(' ').length),
    command.flags,
    command.name,
    command.otherFlags !== undefined,
  )
  const withBoth = withFlags(withFlags(io, leading), own)
  if (asksForHelp || leading.switches.has('help') || own.switches.has('help'))
    return help(
      [command, ...below(commands, command)],
      helpFor(commands, command, withBoth, isWhole),
      withBoth,
    )
  checkPositionals(command, own)
  checkPlaceholders(command, own)
  try {
    return await command.run(await before(withBoth, { command, given: own, words: given }), own)
  } catch (error) {
    throw inWordsOf(command, error)
  }
}

const below = (commands: Commands, { name }: Command): Commands =>
  commands.filter((command) => command.name.startsWith(`${name} `))

/** Adds the help of subcommands, because a command may be the first word of others. */
function helpFor(commands: Commands, command: Command, io: Io, isWhole: boolean): string {
  const others = below(commands, command)
  const help = commandHelp(io, command, isWhole)
  return others.length === 0 ? help : `${help}\n\nAlso:\n${groupHelp(io, others, isWhole)}`
}

/** Prints help as text or as JSON. */
function printHelp(io: Io, data: unknown, text: string): number {
  // Help names the program as the documentation does.
  printVerbatim(io, data, () => fit(text, io.width))
  return 0
}

const isNotVersion = (word: string): boolean => !['--version', '-V', '-v'].includes(word)

function printVersion(io: Io): number {
  io.out(io.json ? JSON.stringify({ version: VERSION, node: process.version }) : VERSION)
  return 0
}

const withFlags = (io: Io, { switches }: Arguments): Io => ({
  ...io,
  json: io.json || switches.has('json'),
  color: io.color && !switches.has('no_color'),
})

/** Checks the number of arguments against the usage of the command; the last one may stand for several. */
function checkPositionals({ name, usage: form }: Command, { positionals }: Arguments): void {
  const places = form.split(' ').filter((place) => place !== '')
  const missing = places[positionals.length]
  if (missing !== undefined && !missing.startsWith('['))
    throw usage(`holdfast ${name} needs ${missing.replace(/\]$/, '')}.`, `holdfast ${name} --help`)
  const extra = form.endsWith('...]') ? undefined : positionals[places.length]
  if (extra !== undefined)
    throw usage(
      `holdfast ${name} has an unexpected argument: ${JSON.stringify(extra)}.`,
      `holdfast ${name} --help`,
    )
}

/** The command that most of the first words name, since `step` begins the names of others. */
const find = (commands: Commands, words: readonly string[]): Command | undefined =>
  commands
    .filter((command) => command.name.split(' ').every((part, index) => words[index] === part))
    .toSorted((one, other) => other.name.length - one.name.length)[0]

const SHOWING = ['list', 'find', 'tree', 'status']

/** The command that a noun alone runs, if one needs no argument. */
function shownBy(commands: Commands, [noun = '', second = '-']: readonly string[]): Command | undefined {
  if (!second.startsWith('-')) return undefined
  return SHOWING.map((verb) => commands.find(({ name }) => name === `${noun} ${verb}`)).find(
    (command) => command !== undefined && !/^[^[]/.test(command.usage),
  )
}

/** The commands of a noun that was typed alone; anything else is an error with a suggestion. */
function groupOf(commands: Commands, [first = '', second, ...rest]: readonly string[]): Commands {
  const group = commands.filter((command) => command.name.startsWith(`${first} `))
  if (group.length > 0 && (second === undefined || second.startsWith('-'))) return group
  const former = formerCommand([first, second ?? '', ...rest])
  if (former !== undefined) throw former
  const typed = group.length > 0 ? `${first} ${second ?? ''}` : first
  const known =
    group.length > 0
      ? group.map((command) => command.name)
      : [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))]
  const isVersion = !isNotVersion(`--${typed}`)
  const isShown = second === 'list' && shownBy(commands, [first]) !== undefined
  // People forget the noun of a command: `adopt` for `skill adopt`.
  const longer = commands.filter(({ name }) => name.endsWith(` ${typed}`)).map(({ name }) => name)
  const near = nearest(typed, known)
  const sure = longer.length > 0 || near.length > 0 ? longer : sameVerb(commands, typed)
  const alike = sure.length > 0 ? sure : near
  const meant = isVersion ? [`--${typed}`] : isShown ? [first] : alike
  const suggestion = meant.length === 0 ? '' : ` Did you mean: ${meant.join(', ')}?`
  throw new EngineError('unknown-method', `holdfast has no command ${JSON.stringify(typed)}.${suggestion}`, {
    hint: `holdfast ${isVersion ? `--${typed}` : isShown ? first : ['help', sure[0] ?? (group.length > 0 ? first : '')].join(' ').trim()}`,
  })
}

const MOST_MEANT = 3

/** The commands with the verb of one that has another noun, as in `task context` or `task-context` for `todo context`. */
function sameVerb(commands: Commands, typed: string): readonly string[] {
  const [verb = '', noun] = typed.split(/[ -]/).toReversed()
  if (noun === undefined) return []
  const found = commands.filter(({ name }) => name.endsWith(` ${verb}`)).map(({ name }) => name)
  return found.length > MOST_MEANT ? [] : found
}

function explain(error: unknown, io: Io): number {
  const known = knownError(error)
  const code = known?.code ?? 'internal'
  const message = known?.message ?? (error instanceof Error ? error.message : String(error))
  if (io.json)
    io.note(
      JSON.stringify(
        resultForShell(io, {
          error: { code, message, hint: known?.hint ?? null, field: known?.field ?? null },
        }),
      ),
    )
  else {
    io.note(fitTerminal(io, `${paint(io, 'red', 'holdfast:')} ${message}`))
    if (known?.hint !== undefined)
      io.note(fitTerminal(io, `  ${isByHand(known.hint) ? 'next' : 'try'}: ${known.hint}`))
    if (known === undefined && error instanceof Error) io.note(error.stack ?? '')
  }
  return ERROR_CODES[code].exit
}
