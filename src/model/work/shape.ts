import type { Planned } from './plan.ts'

/** How a body of work is done: one worker, all items at once, or as they open. */
export type Shape = 'solo' | 'parallel' | 'swarm'

const MOST_AT_ONCE = 3

/** One item is solo; two or three that wait for nothing are parallel; everything else is a swarm. */
export function shapeOf(items: readonly Pick<Planned, 'blockedBy'>[]): Shape {
  if (items.length <= 1) return 'solo'
  const waits = items.some(({ blockedBy }) => blockedBy.length > 0)
  return waits || items.length > MOST_AT_ONCE ? 'swarm' : 'parallel'
}

export const USUAL_WORKERS = 4

/** How many workers are of use: never more than the user allows, nor than there are items. */
export const workersFor = (items: number, most: number): number => Math.max(1, Math.min(items, most))
