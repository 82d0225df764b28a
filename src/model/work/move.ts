import { advance, type Advance } from '../plan/advance.ts'
import type { ItemOutcome, ItemState } from './item.ts'
import { planOfItems, progressOf, type Tried } from './plan.ts'

/** An item and all whose readiness depends on it: those that wait for it, and everything that blocks those. */
export type Around = readonly Tried[]

/** How an item ended, as its worker says. */
export interface Ending {
  readonly outcome: ItemOutcome
  readonly reason?: string | undefined
}

/** What the end of a try changes. */
export interface Ended {
  readonly state: Extract<ItemState, 'done' | 'open' | 'failed' | 'blocked'>
  /** How often the item may be tried from now on. */
  readonly limit: number
  /** The items that its end opens. */
  readonly opens: readonly string[]
}

/** Takes an item: the runner says whether it may start. Its readiness needs only what blocks it. */
export function take(around: Around, item: string): Advance {
  const plan = planOfItems(around)
  return advance(plan, progressOf(plan, around), { kind: 'enter', step: item })
}

/** Ends the try of an item. A failure that repeats itself word for word is final, whatever the limit says. */
export function endTry(around: Around, item: string, { outcome, reason }: Ending): Ended | undefined {
  const own = around.find((one) => one.item === item)
  if (own === undefined) return undefined
  const attempts = own.visit?.attempts ?? 1
  const limit = limitAfter(own, { outcome, reason }, attempts)
  const known = around.map((one) => (one === own ? { ...one, limit } : one))
  const plan = planOfItems(known)
  const before = progressOf(plan, known)
  const left = advance(plan, before, {
    kind: 'leave',
    step: item,
    outcome: outcome === 'done' ? 'ok' : 'fail',
    reason,
  })
  if (!left.ok) return undefined
  const { open } = left.progress
  const opens = around
    .filter((one) => one.blockedBy.includes(item) && one.visit === undefined && open.includes(one.item))
    .map((one) => one.item)
  const state =
    outcome === 'done' ? 'done' : open.includes(item) ? 'open' : outcome === 'blocked' ? 'blocked' : 'failed'
  return { state, limit, opens }
}

/** A try that was given back costs nothing; only the user lets a blocked item go on. */
function limitAfter(own: Tried, { outcome, reason }: Ending, attempts: number): number {
  if (outcome === 'released') return Math.max(own.limit, attempts + 1)
  const isRepeated = outcome === 'failed' && reason !== undefined && own.visit?.failed === reason
  return outcome === 'blocked' || isRepeated ? Math.min(own.limit, attempts) : own.limit
}
