/** How far a plan is enforced: recorded only, refused, or refused also where the engine itself fails. */
export const LEVELS = ['observe', 'enforce', 'strict'] as const

export type Level = (typeof LEVELS)[number]

/** Where nobody has chosen. */
export const DEFAULT_LEVEL: Level = 'enforce'
