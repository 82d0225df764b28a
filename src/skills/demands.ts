import { type Diagnostic, diagnose, type Place } from '../model/diagnostic.ts'
import { type Demand, type Demands, RANKS } from '../model/plan/evidence.ts'
import { patternsOf } from '../model/plan/patterns.ts'
import { nearest } from '../model/text/nearest.ts'
import { fieldsOf } from './text/values.ts'

const KEYS = ['command', 'covers', 'rank', 'expect'] as const
const LONGEST_COMMAND = 2000

/** A name with its value and place in the file. */
export interface Said {
  readonly name: string
  readonly value: unknown
  readonly place: Place
}

/** Whether the value of a proof field demands evidence; any other value only describes the field. */
export const isDemand = (value: unknown): boolean => KEYS.some((key) => Object.hasOwn(fieldsOf(value), key))

/** Reads demands by name; an invalid demand becomes a diagnostic and is dropped. */
export function readDemands(
  said: readonly Said[],
  before: Demands = {},
): {
  readonly demands: Demands
  readonly diagnostics: readonly Diagnostic[]
  /** The names whose requirement is not valid. */
  readonly faulty: readonly string[]
} {
  const demands = new Map<string, Demand>(Object.entries(before))
  const diagnostics: Diagnostic[] = []
  const faulty: string[] = []
  for (const { name, value, place } of said) {
    const faults = faultsOf(name, value)
    diagnostics.push(...faults.map((message) => diagnose('HF316', place, message)))
    if (faults.length > 0) faulty.push(name)
    if (faults.length > 0) continue
    const demand = toDemand(value)
    const known = demands.get(name)
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(demand)) {
      faulty.push(name)
      diagnostics.push(diagnose('HF318', place, `${name} is declared twice, with different fields.`))
    } else if (demand.command !== undefined && demand.covers.length === 0)
      diagnostics.push(
        diagnose('HF319', place, `${name} covers no files, so one run of its command counts forever.`),
      )
    demands.set(name, known ?? demand)
  }
  return { demands: Object.fromEntries(demands), diagnostics, faulty }
}

function toDemand(value: unknown): Demand {
  const { command, covers, rank, expect } = fieldsOf(value)
  return {
    // A command implies that it must be run.
    rank: RANKS.find((one) => one === rank) ?? (command === undefined ? 'claimed' : 'proved'),
    ...(typeof command === 'string' && { command: command.trim() }),
    covers: patternsOf(covers) ?? [],
    ...(expect === 'fail' && { expect }),
  }
}

function faultsOf(name: string, value: unknown): readonly string[] {
  const fields = fieldsOf(value)
  const { command, covers, rank, expect } = fields
  if (!isDemand(value)) return [`${name} must have fields such as command and covers.`]
  const strange = Object.keys(fields).find((key) => !(KEYS as readonly string[]).includes(key))
  const [meant] = strange === undefined ? [] : nearest(strange, KEYS)
  return [
    ...(strange === undefined
      ? []
      : [`${name} has an unknown field ${strange}${meant === undefined ? '.' : `; did you mean ${meant}?`}`]),
    ...(command === undefined || isCommand(command)
      ? []
      : [`The command of ${name} must be one line of text.`]),
    ...(rank === undefined || RANKS.some((one) => one === rank)
      ? []
      : [`The rank of ${name} must be one of ${RANKS.join(', ')}, not ${JSON.stringify(rank)}.`]),
    ...((rank === 'proved' || rank === 'observed') && command === undefined
      ? [`${name} has rank ${rank} but no command.`]
      : []),
    ...(expect === undefined || expect === 'fail' || expect === 'pass'
      ? []
      : [`expect of ${name} must be pass or fail, not ${JSON.stringify(expect)}.`]),
    ...(expect === undefined || command !== undefined ? [] : [`${name} has expect but no command.`]),
    ...(covers === undefined || patternsOf(covers) !== undefined
      ? []
      : [`covers of ${name} must be a list of patterns inside the project, such as src/**.`]),
  ]
}

/** A command in one line, so that what is shown to a person before it runs is what runs. */
export const isCommand = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.trim() !== '' &&
  value.length <= LONGEST_COMMAND &&
  // oxlint-disable-next-line no-control-regex -- what is shown to a person before it runs must be what runs
  !/[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/.test(value.trim())
