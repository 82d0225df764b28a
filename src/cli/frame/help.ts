import { VERSION } from '../../daemon/version.ts'
import { type Flags, GLOBAL_FLAGS } from './args.ts'
import type { Command } from './command.ts'
import type { Io } from './io.ts'
import { paint } from './print.ts'
import { wrap } from './wrap.ts'

type Commands = readonly Command[]
type Screen = Pick<Io, 'color' | 'width'>
type Item = readonly [name: string, text: string]

const GAP = 2
/** The text of a longer name goes below it. */
const LONGEST_NAME = 30
/** Narrower text is unreadable. */
const NARROWEST = 20
/** The indentation of a text below its name. */
const BELOW = 6

/** The list of commands: a noun per line, or with `isWhole` every command and flag. */
export function overview(io: Screen, commands: Commands, isWhole = false): string {
  return [
    `${paint(io, 'bold', 'holdfast')} ${VERSION}: the durable engine for agent skills`,
    '',
    'Usage: holdfast COMMAND [ARGUMENTS]',
    '',
    ...lines(io, isWhole ? inGroups(commands).flatMap(withFlags) : byNoun(commands)),
    '',
    ...lines(io, [
      ...flagItems(GLOBAL_FLAGS),
      ['--version', 'the version'],
      ...(isWhole ? advancedItems(commands) : []),
    ]),
    '',
    'Environment variables:',
    ...lines(io, SETTINGS),
    '',
    ...wrap('A noun alone, such as holdfast queue, lists its items if it needs no argument.', io.width),
    'Help for one command: holdfast help COMMAND',
    ...(isWhole ? [] : ['All commands and flags: holdfast help --all']),
  ].join('\n')
}

const SETTINGS: readonly Item[] = [
  ['HOLDFAST_HOME', 'folder of the state (default ~/.local/state/holdfast)'],
  ['HOLDFAST_DATABASE_URL', 'PostgreSQL database, to share state between machines'],
  ['HOLDFAST_HTTP=off', 'no loopback HTTP; hooks of tool calls then reach no daemon'],
  ['HOLDFAST_IDLE_SECONDS=N', 'stop the daemon after N seconds without a call or open session'],
]

const groupsOf = (commands: Commands) => Map.groupBy(commands, ({ name }) => name.split(' ')[0] ?? '')

const inGroups = (commands: Commands): Commands => [...groupsOf(commands).values()].flat()

/** A command and, indented below it, its flags for people. */
const withFlags = (command: Command): readonly Item[] => [
  [joined(command.name, command.usage), command.summary],
  ...flagItems(shownFlags(command, false)).map(([name, text]) => [`  ${name}`, text] as const),
]

function byNoun(commands: Commands): readonly Item[] {
  return [...groupsOf(commands)].map(([noun, members]) => {
    const [first] = members
    if (first !== undefined && (members.length === 1 || !first.name.includes(' ')))
      return [first.name, first.summary]
    return [noun, members.flatMap(({ name }) => name.split(' ')[1] ?? []).join(' | ')]
  })
}

/** Flags for programs, each with its commands. */
function advancedItems(commands: Commands): readonly Item[] {
  const all = Object.assign({}, ...commands.map(({ flags }) => flags)) as Flags
  return Object.entries(all)
    .filter(([, { advanced }]) => advanced === true)
    .map(([name, flag]) => {
      const takers = commands.filter(({ flags }) => Object.hasOwn(flags, name)).map((one) => one.name)
      return [formOf(name, flag), `${flag.summary} (${takers.join(', ')})`]
    })
}

/** Help for one command; `isWhole` adds the flags for programs. */
export function commandHelp(io: Screen, command: Command, isWhole = false): string {
  const flags = [
    ...flagItems(shownFlags(command, isWhole)),
    ...(command.otherFlags === undefined ? [] : [['--FIELD VALUE', command.otherFlags] as const]),
  ]
  const usage = `holdfast ${joined(command.name, command.usage)}`
  const places = Object.entries(command.places ?? {})
  return [
    ...wrap(command.summary, io.width),
    '',
    `Usage: ${paint(io, 'bold', usage)}${flags.length === 0 ? '' : ' [FLAGS]'}`,
    ...(places.length === 0 ? [] : ['', ...lines(io, places)]),
    ...(flags.length === 0 ? [] : ['', ...lines(io, flags)]),
    ...(command.examples === undefined
      ? []
      : ['', 'Examples:', ...command.examples.map((example) => `  ${example}`)]),
  ].join('\n')
}

/** Help for the commands that begin with a word, such as `daemon`. */
export function groupHelp(io: Screen, commands: Commands, isWhole = false): string {
  if (isWhole) return commands.map((command) => commandHelp(io, command, true)).join('\n\n')
  return commands
    .map(({ name, usage, summary }) => {
      const indent = ' '.repeat(BELOW)
      const below = wrap(summary, io.width - indent.length).map((line) => `\n${indent}${line}`)
      return `  ${paint(io, 'bold', `holdfast ${joined(name, usage)}`)}${below.join('')}`
    })
    .join('\n')
}

/** Help as data: every property of a command except its function, also the empty ones. */
export const helpData = (commands: Commands, isWhole: boolean) =>
  commands.map((command) => ({
    name: command.name,
    summary: command.summary,
    usage: command.usage,
    places: Object.entries(command.places ?? {}).map(([name, summary]) => ({ name, summary })),
    flags: Object.fromEntries(
      Object.entries(shownFlags(command, isWhole)).map(([name, { kind, summary, short }]) => [
        name,
        { kind, summary, short: short ?? null },
      ]),
    ),
    other_flags: command.otherFlags ?? null,
    examples: command.examples ?? [],
  }))

const shownFlags = ({ flags }: Command, isWhole: boolean): Flags =>
  Object.fromEntries(Object.entries(flags).filter(([, { advanced }]) => isWhole || advanced !== true))

const flagItems = (flags: Flags): readonly Item[] =>
  Object.entries(flags).map(([name, flag]) => [formOf(name, flag), flag.summary])

function formOf(name: string, { kind, short }: Flags[string]): string {
  const long = `--${name.replaceAll('_', '-')}${kind === 'value' ? ' VALUE' : ''}`
  return short === undefined ? long : `${long}, -${short}`
}

const joined = (name: string, usage: string): string => `${name} ${usage}`.trimEnd()

/** Names with their meanings beside them, within the width. */
function lines(io: Screen, items: readonly Item[]): readonly string[] {
  const names = items.map(([name]) => name.length).filter((length) => length <= LONGEST_NAME)
  const beside = GAP + Math.max(0, ...names) + GAP
  // On a narrow terminal, every text goes below its name.
  const margin = io.width - beside < NARROWEST ? BELOW : beside
  const indent = ' '.repeat(margin)
  return items.map(([name, text]) => {
    const [first = '', ...rest] = wrap(text, Math.max(1, io.width - margin))
    const head = `${' '.repeat(GAP)}${name}`
    const line = head.length + GAP <= margin ? head.padEnd(margin) + first : `${head}\n${indent}${first}`
    return [line.trimEnd(), ...rest.map((more) => indent + more)].join('\n')
  })
}
