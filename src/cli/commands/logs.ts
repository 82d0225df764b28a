import { findHome } from '../../daemon/home.ts'
import { type LogLevel, LOG_LEVELS } from '../../daemon/log.ts'
import { clockTime, relativeTime } from '../../model/text/time.ts'
import { numberOf } from '../frame/args.ts'
import type { Command } from '../frame/command.ts'
import { type Io, usage } from '../frame/io.ts'
import { endOf, lastLines, type LogLine, linesAfter } from '../daemon/log-file.ts'
import { cell, paint } from '../frame/print.ts'
import { fitTerminal, forPeople, printLines } from '../frame/show.ts'

export const logs: Command = {
  name: 'logs',
  summary: 'Show the log of the daemon, oldest first; works without a daemon.',
  usage: '',
  flags: {
    lines: { kind: 'value', short: 'n', summary: 'number of newest lines (default 50)' },
    level: { kind: 'value', summary: `only this level and above: ${LOG_LEVELS.join('|')}` },
    follow: { kind: 'switch', short: 'f', summary: 'keep printing new lines; with --json one per line' },
  },
  examples: ['holdfast logs --level warn', 'holdfast logs --follow'],
  async run(io, { values, switches }) {
    const { log } = findHome(io.env)
    const least = LOG_LEVELS.indexOf(levelOf(values['level']))
    const isWanted = ({ level }: LogLine) => LOG_LEVELS.indexOf(level) >= least
    const count = countOf(values['lines'])
    const end = endOf(log)
    const lines = lastLines(log, count, { isWanted, until: end })
    if (!switches.has('follow')) {
      printLines(io, lines, () =>
        lines.length === 0
          ? `No line matches in ${log}.`
          : lines.map((line) => describe(io, line, relativeTime)).join('\n'),
      )
      return 0
    }
    const show = (line: LogLine) =>
      io.out(io.json ? JSON.stringify(line) : fitTerminal(io, describe(io, line, clockTime)))
    for (const line of lines) show(line)
    for await (const line of linesAfter(log, end)) if (isWanted(line)) show(line)
    return 0
  },
}

function countOf(given = '50'): number {
  const count = numberOf(given, '--lines')
  if (Number.isInteger(count) && count >= 0) return count
  throw usage(
    `--lines must be a whole number, 0 or more, not ${JSON.stringify(given)}.`,
    'holdfast logs --lines 50',
  )
}

function levelOf(given = 'debug'): LogLevel {
  const level = LOG_LEVELS.find((one) => one === given)
  if (level !== undefined) return level
  throw usage(
    `Unknown level ${JSON.stringify(given)}; choose one of ${LOG_LEVELS.join(', ')}.`,
    'holdfast logs --level warn',
  )
}

const COLORS = { debug: 'dim', info: 'cyan', warn: 'yellow', error: 'red' } as const

/** Only `--json` prints stacks, which would hide the lines around them. */
function describe(
  io: Io,
  { time, level, pid, event, ...details }: LogLine,
  saidAs: (time: string) => string,
): string {
  const about = Object.entries(details).filter(([name]) => name !== 'stack')
  const head = `${paint(io, 'dim', saidAs(time).padStart(10))}  ${paint(io, COLORS[level], level.padEnd(5))}  ${cell(event)}`
  const texts = about.map(([name, value]) => `${cell(name)}=${cell(forPeople(messageOf(value)))}`)
  return [head, ...texts, paint(io, 'dim', `pid ${cell(pid)}`)].join('  ')
}

const messageOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'message' in value ? value.message : value
