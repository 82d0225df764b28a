import { oneLine } from '../text/line.ts'
import { shellWord } from '../shell/word.ts'

/** What a record is worth, the least first: somebody says so, a hook saw it, we ran the command ourselves. */
export const RANKS = ['claimed', 'observed', 'proved'] as const
export type Rank = (typeof RANKS)[number]

/** What a plan asks for before it believes in an artifact, or in a field of proof. */
export interface Demand {
  /** The least that a record of it must be worth. */
  readonly rank: Rank
  /** What must end with 0 for it. */
  readonly command?: string
  /** Patterns of the files that the command is about, below the project; when they change, it must be run again. */
  readonly covers: readonly string[]
}

/** By the names of artifacts and of fields of proof, which are one set of names. */
export type Demands = Readonly<Record<string, Demand>>

const PLAIN: Demand = { rank: 'claimed', covers: [] }

/** What is asked for under a name; a word of the agent is enough where nothing is. */
export const demandOf = (demands: Demands | undefined, name: string): Demand =>
  demands !== undefined && Object.hasOwn(demands, name) ? (demands[name] ?? PLAIN) : PLAIN

/** Whether a word of the agent is not enough. */
export const isDemanding = ({ rank }: Demand): boolean => rank !== 'claimed'

/** One record of an artifact or proof, with what is known of it now. */
export interface Evidence {
  readonly name: string
  readonly rank: Rank
  readonly command: string | undefined
  readonly covers: readonly string[]
  /** Whether the files that it is about have changed since. */
  readonly stale: boolean
}

/** What is recorded of an effort: what counts, and what would if its files had not changed. */
export interface Recorded {
  readonly good: ReadonlySet<string>
  readonly stale: ReadonlySet<string>
}

export const NOTHING_RECORDED: Recorded = { good: new Set(), stale: new Set() }

/** Which names are shown as well as the plan of now asks for. */
export function recordedIn(demands: Demands | undefined, records: readonly Evidence[]): Recorded {
  const enough = records.filter((record) => satisfies(record, demandOf(demands, record.name)))
  const good = new Set(enough.filter(({ stale }) => !stale).map(({ name }) => name))
  return { good, stale: new Set(enough.map(({ name }) => name).filter((name) => !good.has(name))) }
}

/** A run counts for the command and the files that the plan names now, not for those that it named then. */
export function satisfies(record: Omit<Evidence, 'stale'>, demand: Demand): boolean {
  if (RANKS.indexOf(record.rank) < RANKS.indexOf(demand.rank)) return false
  if (!isDemanding(demand)) return true
  return record.command === demand.command && record.covers.join('\0') === demand.covers.join('\0')
}

/** A run of a command that the plan names, as a hook saw it. */
export interface SeenRun {
  readonly effort_id: number
  readonly name: string
  readonly command: string
  readonly covers: readonly string[]
  /** Of the files that it covers, as they were when it had ended. */
  readonly digest: string | null
  readonly passed: boolean
}

/** The command that records a name as well as the plan asks for. */
export function recordCommand(effort: number, name: string, demand: Demand): string {
  const word = shellWord(oneLine(name))
  return demand.command === undefined
    ? `holdfast artifact put ${effort} ${word} --path FILE`
    : `holdfast prove ${word} --effort ${effort}`
}

const MOST_COMMANDS = 5

/** One line that records several names; where they are many, the first ones, and the rest is told after them. */
export const recordCommands = (
  effort: number,
  demands: Demands | undefined,
  names: readonly string[],
): string =>
  names
    .slice(0, MOST_COMMANDS)
    .map((name) => recordCommand(effort, name, demandOf(demands, name)))
    .join(' && ')
