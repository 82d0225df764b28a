import { findHome } from '../../daemon/home.ts'
import { writePause } from '../../daemon/pause.ts'
import { timestamp } from '../../model/clock.ts'
import { relativeTime } from '../../model/text/time.ts'
import type { Command } from '../frame/command.ts'
import { usage } from '../frame/io.ts'
import { printResult } from '../frame/show.ts'

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }
const LONGEST_SECONDS = 30 * 86_400

export const pause: Command = {
  name: 'pause',
  summary: 'Enforce nothing for a while, 30 minutes unless told otherwise; needs no daemon.',
  usage: '[DURATION]',
  places: { DURATION: 'such as 10s, 45m, 2h or 1d; off ends a pause' },
  flags: { off: { kind: 'switch', summary: 'end the pause' } },
  examples: ['holdfast pause', 'holdfast pause 2h', 'holdfast pause off'],
  run(io, { positionals, switches }) {
    const [given = '30m'] = positionals
    const isOff = switches.has('off') || given === 'off'
    const until = isOff ? undefined : Date.now() + secondsOf(given) * 1000
    writePause(findHome(io.env), until)
    const result = { paused_until: until === undefined ? null : timestamp(until) }
    printResult(io, result, () =>
      until === undefined
        ? 'Nothing is paused; plans are enforced.'
        : `Nothing is enforced; the pause ends ${relativeTime(timestamp(until))}. End it now: holdfast pause off`,
    )
    return Promise.resolve(0)
  },
}

function secondsOf(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const seconds = Number(count) * (UNITS[unit] ?? 0)
  if (count === undefined || seconds === 0)
    throw usage(`A pause is a number and s, m, h or d, not ${JSON.stringify(text)}.`, 'holdfast pause 30m')
  if (seconds > LONGEST_SECONDS)
    throw usage(
      'A pause lasts 30 days at most; whoever wants longer takes the hooks out.',
      'holdfast uninstall',
    )
  return seconds
}
