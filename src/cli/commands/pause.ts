import { findHome } from '../../daemon/home.ts'
import { pauseReader, writePause } from '../../daemon/pause.ts'
import { timestamp } from '../../model/clock.ts'
import { relativeTime } from '../../model/text/time.ts'
import type { Command } from '../frame/command.ts'
import { usage } from '../frame/io.ts'
import { printResult } from '../frame/show.ts'

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }
const LONGEST_SECONDS = 30 * 86_400

export const pause: Command = {
  name: 'pause',
  summary: 'Pause enforcement, for 30 minutes by default; works without a daemon.',
  usage: '[DURATION]',
  places: { DURATION: 'such as 10s, 45m, 2h or 1d; off ends a pause' },
  flags: { off: { kind: 'switch', summary: 'end the pause' } },
  examples: ['holdfast pause', 'holdfast pause 2h', 'holdfast pause off'],
  run(io, { positionals, switches }) {
    const [given = '30m'] = positionals
    const isOff = switches.has('off') || given === 'off'
    const until = isOff ? undefined : Date.now() + secondsOf(given) * 1000
    const home = findHome(io.env)
    const wasPaused = pauseReader(home)() !== undefined
    writePause(home, until)
    const result = { paused_until: until === undefined ? null : timestamp(until) }
    printResult(io, result, () =>
      until === undefined
        ? wasPaused
          ? 'The pause is over; plans are enforced again.'
          : 'Enforcement was not paused.'
        : `Enforcement is paused; the pause ends ${relativeTime(timestamp(until))}. End it now: holdfast pause off`,
    )
    return Promise.resolve(0)
  },
}

function secondsOf(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const seconds = Number(count) * (UNITS[unit] ?? 0)
  if (count === undefined || seconds === 0)
    throw usage(
      `DURATION must be a number with s, m, h or d, not ${JSON.stringify(text)}.`,
      'holdfast pause 30m',
    )
  if (seconds > LONGEST_SECONDS)
    throw usage(
      'A pause can last at most 30 days. To stop for longer, remove the hooks.',
      'holdfast uninstall',
    )
  return seconds
}
