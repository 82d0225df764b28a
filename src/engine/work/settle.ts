import type { Effort } from '../../model/effort.ts'
import { counted, listed } from '../../model/text/line.ts'
import type { ItemState } from '../../model/work/item.ts'
import type { Tx } from '../../store/query.ts'
import { anyIn, countStates, listWorkItems } from '../../store/work.ts'
import type { Call } from '../call/method.ts'
import { closeEffort } from '../effort/after-move.ts'

/** How many items stand where. */
export type Counts = Readonly<Record<ItemState, number>>

const NONE: Counts = { waiting: 0, open: 0, taken: 0, done: 0, failed: 0, blocked: 0 }

export async function countsOf(tx: Tx, effort_id: number): Promise<Counts> {
  const rows = await countStates(tx, { effort_id })
  return { ...NONE, ...Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)])) }
}

/** True if nobody does anything and nothing is open. */
export async function isOver(tx: Tx, effort_id: number): Promise<boolean> {
  for (const state of ['taken', 'open'] as const)
    if ((await anyIn(tx, { effort_id, state })) !== undefined) return false
  return (await anyIn(tx, { effort_id, state: 'waiting' })) === undefined
}

/** A body of work in which nothing can go on ends with a report: finished, or parked with what the user must decide. */
export async function settleBody(tx: Tx, effort: Effort, call: Call): Promise<void> {
  const effort_id = effort.id
  if (effort.lifecycle === 'finished' || !(await isOver(tx, effort_id))) return
  const counts = await countsOf(tx, effort_id)
  const { done, failed, blocked } = counts
  if (done > 0 && failed + blocked === 0) {
    await closeEffort(tx, { effort_id, outcome: 'completed', result: { done, failed, blocked } }, call)
    return
  }
  await call.record(tx, {
    event_type: 'plan.parked',
    skill: effort.skill,
    effort_id,
    payload: { reason: await whyParked(tx, effort_id, counts), done, failed, blocked },
  })
}

const MOST_TOLD = 20
const ROOM = 1000

/** What the user must decide: the items that failed or need an answer, and how much waits for them. */
export async function whyParked(tx: Tx, effort_id: number, { blocked, done }: Counts): Promise<string> {
  const rows = await listWorkItems(tx, { effort_id, states: ['failed', 'blocked'], limit: 20 * MOST_TOLD })
  const own = rows.filter(({ blocker }) => blocker === null)
  const behind = blocked - own.filter(({ state }) => state === 'blocked').length
  const names = own.map(
    ({ item, state, reason }) =>
      `item ${item} ${state === 'failed' ? 'failed' : 'needs the user'}${reason === null ? '' : ` (${reason})`}`,
  )
  return `${counted(done, 'item')} done; ${listed(names, ROOM)}; ${counted(behind, 'item')} blocked behind.`
}
