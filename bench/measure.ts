/** The times of one contender in one round, in microseconds. */
export type Times = readonly number[]

/** Runs its work this many times and returns the time of each run. */
export type Contender = (count: number) => Promise<Times>

/** A limit that a benchmark must meet. */
export interface Target {
  readonly at: 'most' | 'least'
  readonly value: number
}

export const atMost = (value: number): Target => ({ at: 'most', value })
export const atLeast = (value: number): Target => ({ at: 'least', value })

/** One line of the table; the target applies to the ratio, or to the value without one. */
export interface Row {
  readonly name: string
  readonly what: string
  readonly unit: 'µs' | 'ms' | 'MB' | 'bytes' | '/s' | 'MB/s' | '×'
  readonly baseline?: { readonly what: string; readonly value: number }
  readonly p50: number
  readonly p99?: number
  readonly ratio?: number
  readonly target?: Target
  /** The missing program, if the machine cannot run this benchmark. */
  readonly skipped?: string
}

function percentile(times: Times, share: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)

/** Times each call of the work in sequence; `prepare` runs outside the measured time. */
export function timed<T = void>(work: (given: T) => unknown, prepare?: () => T): Contender {
  return async (count) => {
    const times: number[] = []
    for (let index = 0; index < count; index++) {
      const given = prepare?.() as T
      const start = performance.now()
      await work(given)
      times.push((performance.now() - start) * 1000)
    }
    return times
  }
}

interface Plan {
  readonly rounds: number
  /** Calls of each contender in a round. */
  readonly calls: number
  /** A round cycles through all contenders this often, so that noise affects all equally. */
  readonly turns?: number
  /** Calls of each before the first round, not counted. */
  readonly warmUp?: number
}

/** Runs all contenders and returns their rounds by name. */
export async function race<Name extends string>(
  plan: Plan,
  contenders: Readonly<Record<Name, Contender>>,
): Promise<Record<Name, readonly Times[]>> {
  const { rounds, calls, turns = 10, warmUp = 0 } = plan
  const entries = Object.entries<Contender>(contenders)
  const results = Object.fromEntries(entries.map(([name]) => [name, [] as Times[]])) as Record<Name, Times[]>
  if (warmUp > 0) for (const [, run] of entries) await run(warmUp)
  for (let round = 0; round < rounds; round++) {
    const times = new Map<string, number[]>(entries.map(([name]) => [name, []]))
    for (let turn = 0; turn < turns; turn++)
      for (const [name, run] of entries)
        times.get(name)?.push(...(await run(Math.max(1, Math.round(calls / turns)))))
    for (const [name] of entries) results[name as Name].push(times.get(name) ?? [])
  }
  return results
}

/** The median of a figure over all rounds. */
export const over = (rounds: readonly Times[], figure: (times: Times) => number): number =>
  median(rounds.map(figure))

export const p50 = (times: Times) => percentile(times, 0.5)
export const p99 = (times: Times) => percentile(times, 0.99)
export const p999 = (times: Times) => percentile(times, 0.999)

/** The median over rounds of the ratio of two figures in the same round. */
export function ratioOf(
  rounds: readonly Times[],
  baseline: readonly Times[],
  figures: { of?: (times: Times) => number; to?: (times: Times) => number } = {},
): number {
  const { of = p50, to = p50 } = figures
  return median(rounds.map((times, round) => of(times) / to(baseline[round] ?? [])))
}

/** The default line: p50 relative to the p50 of a baseline. */
export function compared(line: {
  readonly name: string
  readonly what: string
  readonly times: readonly Times[]
  readonly against: string
  readonly baseline: readonly Times[]
  readonly unit?: 'µs' | 'ms'
  readonly target?: Target
}): Row {
  const { name, what, times, against, baseline, unit = 'µs', target } = line
  const scale = unit === 'ms' ? 1000 : 1
  return {
    name,
    what,
    unit,
    baseline: { what: against, value: over(baseline, p50) / scale },
    p50: over(times, p50) / scale,
    p99: over(times, p99) / scale,
    ratio: ratioOf(times, baseline),
    ...(target !== undefined && { target }),
  }
}
