/** Every counter of a daemon, for `daemon.status` and the reference page. */
export const COUNTS = {
  connections: 'open connections on the socket',
  drops: 'connections closed since the daemon started because they were silent, too many or not read',
  calls: 'methods called since the daemon started, hooks and status lines included',
  hooks: 'hooks and status lines received since the daemon started',
  faults: 'hooks and status lines that failed since the daemon started',
} as const

export type Counts = Record<keyof typeof COUNTS, number>

/** All counters at zero. */
export const newCounts = (): Counts =>
  Object.fromEntries(Object.keys(COUNTS).map((name) => [name, 0])) as Counts
