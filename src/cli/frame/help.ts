import { VERSION } from '../../daemon/version.ts'
import { type Flags, GLOBAL_FLAGS } from './args.ts'
import type { Command } from './command.ts'
import type { Io } from './io.ts'
import { paint } from './print.ts'

export function overview(io: Io, commands: readonly Command[]): string {
  const groups = [...Map.groupBy(commands, (command) => command.name.split(' ')[0] ?? '')]
  const alone = groups.flatMap(([, [first, ...others]]) =>
    first !== undefined && others.length === 0 ? first : [],
  )
  const width = Math.max(...alone.map(({ name }) => name.length)) + 2
  const lines = groups.map(([name, members]) => {
    const [first] = members
    if (first !== undefined && (members.length === 1 || !first.name.includes(' ')))
      return `  ${first.name.padEnd(width)}${first.summary}`
    return `  ${name} ${members.flatMap((command) => command.name.split(' ')[1] ?? []).join('|')}`
  })
  return [
    `${paint(io, 'bold', 'holdfast')} ${VERSION}: the durable engine for agent skills`,
    '',
    'Usage: holdfast COMMAND [ARGUMENTS]',
    '',
    ...lines,
    '',
    ...flagLines(GLOBAL_FLAGS, 14),
    `  ${'--version'.padEnd(14)}the version`,
    '',
    'Where: HOLDFAST_HOME (default ~/.local/state/holdfast), HOLDFAST_DATABASE_URL (a PostgreSQL for many machines).',
    'HOLDFAST_HTTP=off: a daemon without loopback HTTP; hooks then come only as commands.',
    'HOLDFAST_IDLE_SECONDS=N: a daemon that nobody has called for so long ends, unless a session is open.',
    'A noun alone, such as holdfast queue, shows what there is of it.',
    'Help for one command: holdfast help COMMAND',
  ].join('\n')
}

export function commandHelp(io: Io, command: Command): string {
  const places = Object.entries(command.places ?? {}).map(([name, text]) => `  ${name.padEnd(28)}${text}`)
  const flags = [
    ...flagLines(command.flags, 28),
    ...(command.otherFlags === undefined ? [] : [`  ${'--FIELD VALUE'.padEnd(28)}${command.otherFlags}`]),
  ]
  return [
    command.summary,
    '',
    `Usage: ${paint(io, 'bold', `holdfast ${command.name}`)}${command.usage === '' ? '' : ` ${command.usage}`}${flags.length === 0 ? '' : ' [FLAGS]'}`,
    ...(places.length === 0 ? [] : ['', ...places]),
    ...(flags.length === 0 ? [] : ['', ...flags]),
    ...(command.examples === undefined
      ? []
      : ['', 'Examples:', ...command.examples.map((example) => `  ${example}`)]),
  ].join('\n')
}

const flagLines = (flags: Flags, width: number): readonly string[] =>
  Object.entries(flags).map(([name, { kind, summary, short }]) => {
    const long = `--${name.replaceAll('_', '-')}${kind === 'value' ? ' VALUE' : ''}`
    const form = short === undefined ? long : `${long}, -${short}`
    return `  ${form.padEnd(width)}${summary}`
  })

/** Help for the commands that begin with a word, such as `daemon`. */
export function groupHelp(io: Io, commands: readonly Command[]): string {
  return commands
    .map(
      (command) =>
        `  ${paint(io, 'bold', `holdfast ${command.name} ${command.usage}`.trim())}\n      ${command.summary}`,
    )
    .join('\n')
}
