import { oneLine } from '../text/line.ts'
import { shellWord } from '../shell/word.ts'

/** Ranks of evidence, weakest first: claimed, seen by a hook, or run by Holdfast. */
export const RANKS = ['claimed', 'observed', 'proved'] as const
export type Rank = (typeof RANKS)[number]

/** The evidence that a plan requires for an artifact or a proof field. */
export interface Demand {
  /** The lowest accepted rank. */
  readonly rank: Rank
  /** The command that must exit with 0, or with another code if it is expected to fail. */
  readonly command?: string
  readonly expect?: 'fail'
  /** Patterns of the covered files; if they change, the command must run again. */
  readonly covers: readonly string[]
}

/** By name; artifacts and proof fields share one set of names. */
export type Demands = Readonly<Record<string, Demand>>

const PLAIN: Demand = { rank: 'claimed', covers: [] }

/** The requirement for a name; by default, a claim is enough. */
export const demandOf = (demands: Demands | undefined, name: string): Demand =>
  demands !== undefined && Object.hasOwn(demands, name) ? (demands[name] ?? PLAIN) : PLAIN

/** True if a claim of the agent is not enough. */
export const isDemanding = ({ rank }: Demand): boolean => rank !== 'claimed'

/** True if a run ended as the plan expects. */
export const isExpected = ({ expect }: Demand, exitedWithZero: boolean): boolean =>
  exitedWithZero === (expect === undefined)

/** The names that a run of their command takes back, because the last run counts. */
export const refutedBy = (demands: Demands, command: string, exitedWithZero: boolean): readonly string[] =>
  Object.entries(demands)
    .filter(([, demand]) => demand.command === command && !isExpected(demand, exitedWithZero))
    .map(([name]) => name)

/** One record of an artifact or proof, with its current state. */
export interface Evidence {
  readonly name: string
  readonly rank: Rank
  readonly command: string | undefined
  readonly expect?: 'fail' | undefined
  readonly covers: readonly string[]
  /** Whether its files changed since. */
  readonly stale: boolean
}

/** Recorded names of an effort: those that count, and those whose files changed since. */
export interface Recorded {
  readonly good: ReadonlySet<string>
  readonly stale: ReadonlySet<string>
}

export const NOTHING_RECORDED: Recorded = { good: new Set(), stale: new Set() }

/** Recorded evidence counts as proof of the fields that it has the names of. */
export const provenIn = ({ good }: Recorded): Readonly<Record<string, unknown>> =>
  Object.fromEntries([...good].map((name) => [name, true]))

/** The names whose records satisfy the current plan. */
export function recordedIn(demands: Demands | undefined, records: readonly Evidence[]): Recorded {
  const enough = records.filter((record) => satisfies(record, demandOf(demands, record.name)))
  const good = new Set(enough.filter(({ stale }) => !stale).map(({ name }) => name))
  return { good, stale: new Set(enough.map(({ name }) => name).filter((name) => !good.has(name))) }
}

/** A run counts only for the command and files that the plan names now. */
export function satisfies(record: Omit<Evidence, 'stale'>, demand: Demand): boolean {
  if (RANKS.indexOf(record.rank) < RANKS.indexOf(demand.rank)) return false
  if (!isDemanding(demand)) return true
  return (
    record.command === demand.command &&
    record.expect === demand.expect &&
    record.covers.join('\0') === demand.covers.join('\0')
  )
}

/** A run of a plan command, seen by a hook. */
export interface SeenRun {
  readonly effort_id: number
  readonly name: string
  readonly command: string
  readonly covers: readonly string[]
  /** Digest of the covered files at the end of the run. */
  readonly digest: string | null
  readonly expect?: 'fail'
  /** Whether it ended as the plan expects. */
  readonly passed: boolean
}

/** The command that runs the command of the plan for a name. */
export const proveCommand = (effort: number, name: string): string =>
  `holdfast prove ${shellWord(oneLine(name))} --effort ${effort}`

/** The command that records a name with the required rank. */
export const recordCommand = (effort: number, name: string, demand: Demand): string =>
  demand.command === undefined
    ? `holdfast artifact put ${effort} ${shellWord(oneLine(name))}`
    : proveCommand(effort, name)

/** Says why claims do not count for these names, as sentences; nothing where a claim would be enough. */
export const whyUnproved = (
  missing: readonly string[],
  demands: Demands | undefined,
  stale: ReadonlySet<string>,
): string =>
  missing
    .map((field) => ({ field, demand: demandOf(demands, field) }))
    .filter(({ demand }) => isDemanding(demand))
    .map(({ field, demand }) =>
      stale.has(field)
        ? ` The files that "${field}" covers changed after it was proved.`
        : ` A claim is not enough for "${field}": the plan requires a ${demand.expect === 'fail' ? 'failing ' : ''}run of ${demand.command}.`,
    )
    .join('')
