/** How plans are enforced: recorded only, refused, or refused even if the engine fails. */
export const LEVELS = ['observe', 'enforce', 'strict'] as const

export type Level = (typeof LEVELS)[number]

/** The default. */
export const DEFAULT_LEVEL: Level = 'enforce'
