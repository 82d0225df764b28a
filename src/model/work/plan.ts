import type { Progress, Visit } from '../plan/advance.ts'
import { ready, withinLimits } from '../plan/opening.ts'
import type { Plan, Step } from '../plan/plan.ts'
import type { Item, ItemState } from './item.ts'

/** What the runner asks of an item. */
export type Planned = Pick<Item, 'item' | 'title' | 'blockedBy' | 'limit'>

/** An item with its visit: how often it was taken, and how it ended last. */
export interface Tried extends Planned {
  readonly visit?: Visit | undefined
  /** Set if only the user can let it go on; the last try then failed. */
  readonly needsUser: boolean
  /** The item that it is known to be stuck behind, where not all items are at hand. */
  readonly stuckBehind?: string | undefined
}

/** Nothing that a user may call an artifact. */
const resultOf = (item: string): string => `item:${item}`

/** Items as a plan: each may start once the results of those that block it exist. */
export function planOfItems(items: readonly Planned[]): Plan {
  const steps = items.map(({ item, title, blockedBy, limit }): Step => ({
    id: item,
    label: item,
    title,
    optional: false,
    consumes: blockedBy.map(resultOf),
    produces: [resultOf(item)],
    limit,
    proof: [],
    place: { file: '', line: 1, column: 1 },
  }))
  return { notation: 'steps', explicit: true, gate: 'visited', entry: [], steps }
}

/** The progress that the visits of items are, in the words of the runner. */
export function progressOf(plan: Plan, items: readonly Tried[]): Progress {
  const visits = Object.fromEntries(items.flatMap(({ item, visit }) => (visit ? [[item, visit]] : [])))
  const current = items.filter(({ visit }) => visit && visit.outcome === undefined).map(({ item }) => item)
  const open = withinLimits(plan, ready(plan, visits), visits).filter((id) => !current.includes(id))
  return { status: 'running', current, open, visits }
}

/** Where an item stands, and the item behind which it is stuck. */
export interface Standing {
  readonly state: ItemState
  readonly blocker?: string
}

/** Where every item stands, from their visits alone. Recovery stores what this says. */
export function standings(items: readonly Tried[]): ReadonlyMap<string, Standing> {
  const plan = planOfItems(items)
  const { current, open } = progressOf(plan, items)
  const [taken, opened] = [new Set(current), new Set(open)]
  const own = new Map(items.map((one) => [one.item, ownState(one, { taken, opened })]))
  const stuck = items.filter(({ stuckBehind }) => stuckBehind !== undefined)
  const behind = new Map(stuck.map(({ item, stuckBehind = '' }) => [item, stuckBehind]))
  const ends = items.filter(({ item }) => isEnd(own.get(item)) || behind.has(item)).map(({ item }) => item)
  const waiting = Map.groupBy(
    items.flatMap(({ item, blockedBy }) => blockedBy.map((blocker) => ({ item, blocker }))),
    ({ blocker }) => blocker,
  )
  // The loop also visits what it adds.
  const reached = new Set(ends)
  for (const end of reached)
    for (const { item } of waiting.get(end) ?? []) {
      if (own.get(item) !== 'waiting') continue
      if (!behind.has(item)) behind.set(item, behind.get(end) ?? end)
      reached.add(item)
    }
  return new Map(
    items.map(({ item }) => {
      const blocker = behind.get(item)
      return [
        item,
        blocker === undefined ? { state: own.get(item) ?? 'waiting' } : { state: 'blocked', blocker },
      ]
    }),
  )
}

const isEnd = (state: ItemState | undefined): boolean => state === 'failed' || state === 'blocked'

function ownState(
  { item, visit, needsUser }: Tried,
  { taken, opened }: { readonly taken: ReadonlySet<string>; readonly opened: ReadonlySet<string> },
): ItemState {
  if (taken.has(item)) return 'taken'
  if (opened.has(item)) return 'open'
  if (visit?.outcome === 'ok') return 'done'
  return visit === undefined ? 'waiting' : needsUser ? 'blocked' : 'failed'
}
