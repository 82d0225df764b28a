/**
 * How plans are enforced: recorded only, refused, refused even if the engine fails, or held by the operating system
 * too.
 */
export const LEVELS = ['observe', 'enforce', 'strict', 'locked'] as const

export type Level = (typeof LEVELS)[number]

/** The default. */
export const DEFAULT_LEVEL: Level = 'enforce'

/** True at strict and above: each level holds all that a lower one holds. */
export const isStrict = (level: Level): boolean => LEVELS.indexOf(level) >= LEVELS.indexOf('strict')
