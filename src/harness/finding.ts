/** The levels of a test: the graph, the texts, the agents. */
export const LEVELS = [0, 1, 2] as const
export type Level = (typeof LEVELS)[number]

/** Something that a test of a skill found wrong. */
export interface Finding {
  readonly level: Level
  /** Stable, for programs. */
  readonly code:
    | 'check'
    | 'endless'
    | 'parked'
    | 'outcome'
    | 'unreachable'
    | 'size'
    | 'xml'
    | 'unfilled'
    | 'command'
    | 'file'
    | 'effort'
    | 'text'
    | 'unseen'
    | 'obedient'
    | 'lazy'
    | 'hasty'
  readonly message: string
  /** What leads to it, in order. */
  readonly path: readonly string[]
}

/** Reports the same fault of several texts, agents or beginnings with the first. */
export const once = (findings: readonly Finding[]): readonly Finding[] =>
  [...new Map(findings.toReversed().map((one) => [`${one.code} ${one.message}`, one])).values()].toReversed()

/** What one level found, with the numbers that it counted. */
export interface Tested {
  readonly level: Level
  readonly counts: Readonly<Record<string, number>>
  readonly findings: readonly Finding[]
  /** What the author should know, though nothing is wrong. */
  readonly notes: readonly string[]
}
