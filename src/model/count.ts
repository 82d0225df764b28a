/** Every number that a daemon counts: `daemon.status` and the reference page are made from this list. */
export const COUNTS = {
  connections: 'connections that are open on the socket now',
  calls: 'methods called since the daemon started, hooks and status lines included',
  hooks: 'hooks and status lines received since the daemon started',
  faults: 'hooks and status lines that failed since the daemon started',
} as const

export type Counts = Record<keyof typeof COUNTS, number>

/** All of them, with nothing counted yet. */
export const newCounts = (): Counts =>
  Object.fromEntries(Object.keys(COUNTS).map((name) => [name, 0])) as Counts
