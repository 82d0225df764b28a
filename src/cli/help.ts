import { VERSION } from '../daemon/version.ts'
import type { Command } from './command.ts'
import type { Io } from './io.ts'
import { paint } from './print.ts'

const GLOBAL_FLAGS = [
  ['--json', 'print data as JSON; errors too, on stderr'],
  ['--no-color', 'plain text; NO_COLOR does the same'],
  ['--help', 'help for any command'],
  ['--version', 'the version'],
] as const

export function overview(io: Io, commands: readonly Command[]): string {
  const groups = [...Map.groupBy(commands, (command) => command.name.split(' ')[0] ?? '')]
  const lines = groups.map(([name, [first, ...others]]) => {
    const verbs =
      first?.name.includes(' ') === true
        ? ` ${[first, ...others].map((command) => command.name.split(' ')[1]).join('|')}`
        : ''
    return verbs === '' ? `  ${name.padEnd(10)}${first?.summary ?? ''}` : `  ${name}${verbs}`
  })
  return [
    `${paint(io, 'bold', 'holdfast')} ${VERSION}: the durable engine for agent skills`,
    '',
    'Usage: holdfast COMMAND [ARGUMENTS]',
    '',
    ...lines,
    '',
    ...GLOBAL_FLAGS.map(([flag, text]) => `  ${flag.padEnd(12)}${text}`),
    '',
    'Where: HOLDFAST_HOME (default ~/.local/state/holdfast), HOLDFAST_DATABASE_URL (a PostgreSQL for many machines).',
    'Help for one command: holdfast help COMMAND',
  ].join('\n')
}

export function commandHelp(io: Io, command: Command): string {
  const flags = Object.entries(command.flags).map(([name, flag]) => {
    const form = `--${name}${flag.kind === 'value' ? ' VALUE' : ''}`
    return `  ${form.padEnd(28)}${flag.summary}`
  })
  return [
    command.summary,
    '',
    `Usage: ${paint(io, 'bold', `holdfast ${command.name}`)}${command.usage === '' ? '' : ` ${command.usage}`}${flags.length === 0 ? '' : ' [FLAGS]'}`,
    ...(flags.length === 0 ? [] : ['', ...flags]),
    ...(command.examples === undefined
      ? []
      : ['', 'Examples:', ...command.examples.map((example) => `  ${example}`)]),
  ].join('\n')
}

/** Help for the commands that begin with a word, such as `daemon`. */
export function groupHelp(io: Io, commands: readonly Command[]): string {
  return commands
    .map(
      (command) =>
        `  ${paint(io, 'bold', `holdfast ${command.name} ${command.usage}`.trim())}\n      ${command.summary}`,
    )
    .join('\n')
}
