import { VERSION } from '../daemon/version.ts'
import { EngineError, ERROR_CODES } from '../model/error.ts'
import { nearest } from '../model/nearest.ts'
import { parseArguments } from './args.ts'
import type { Command } from './command.ts'
import { commands } from './commands/index.ts'
import { commandHelp, groupHelp, overview } from './help.ts'
import { type Io, systemIo } from './io.ts'
import { paint } from './print.ts'

/** What was typed → exit code. The only place of the CLI that catches errors. */
export async function main(words: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(
      words.filter((word) => word !== '--json' && word !== '--no-color'),
      io,
    )
  } catch (error) {
    return explain(error, io)
  }
}

async function dispatch(words: readonly string[], io: Io): Promise<number> {
  const wantsHelp = words[0] === 'help' || words.includes('--help') || words.includes('-h')
  const rest = words.filter(
    (word, index) => !(index === 0 && word === 'help') && word !== '--help' && word !== '-h',
  )
  if (rest[0] === '--version' || rest[0] === '-V') {
    io.out(io.json ? JSON.stringify({ version: VERSION, node: process.version }) : VERSION)
    return 0
  }
  if (rest.length === 0) {
    io.out(overview(io, commands))
    return 0
  }
  const command = find(rest)
  if (command === undefined) return unknownOrGroup(rest, io, wantsHelp)
  if (wantsHelp) {
    io.out(commandHelp(io, command))
    return 0
  }
  return await command.run(
    io,
    parseArguments(rest.slice(command.name.split(' ').length), command.flags, command.name),
  )
}

const find = (words: readonly string[]): Command | undefined =>
  commands.find((command) => command.name.split(' ').every((part, index) => words[index] === part))

function unknownOrGroup([first = '', second]: readonly string[], io: Io, wantsHelp: boolean): number {
  const group = commands.filter((command) => command.name.startsWith(`${first} `))
  if (group.length > 0 && (wantsHelp || second === undefined)) {
    io.out(groupHelp(io, group))
    return 0
  }
  const typed = group.length > 0 ? `${first} ${second ?? ''}` : first
  const known =
    group.length > 0
      ? group.map((command) => command.name)
      : [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))]
  const meant = nearest(typed, known)
  const suggestion = meant.length === 0 ? '' : ` Did you mean: ${meant.join(', ')}?`
  throw new EngineError('unknown-method', `holdfast has no command ${JSON.stringify(typed)}.${suggestion}`, {
    hint: group.length > 0 ? `holdfast help ${first}` : 'holdfast help',
  })
}

function explain(error: unknown, io: Io): number {
  const known = error instanceof EngineError ? error : undefined
  const code = known?.code ?? 'internal'
  const message = error instanceof Error ? error.message : String(error)
  if (io.json) io.note(JSON.stringify({ error: { code, message, hint: known?.hint, field: known?.field } }))
  else {
    io.note(`${paint(io, 'red', 'holdfast:')} ${message}`)
    if (known?.hint !== undefined) io.note(`  try: ${known.hint}`)
    if (known === undefined && error instanceof Error) io.note(error.stack ?? '')
  }
  return ERROR_CODES[code].exit
}

const words = process.argv.slice(2)
const system = systemIo(words.includes('--json'))
// A reader that has seen enough, such as `head`, closes the pipe: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
process.exitCode = ERROR_CODES.internal.exit
void run()

async function run(): Promise<void> {
  process.exitCode = await main(words, words.includes('--no-color') ? { ...system, color: false } : system)
}
