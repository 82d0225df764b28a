import type { Effort } from '../../model/effort.ts'
import { counted, listed } from '../../model/text/line.ts'
import type { ItemState } from '../../model/work/item.ts'
import type { Tx } from '../../store/query.ts'
import { anyIn, countStates, findBody, listWorkItems } from '../../store/work.ts'

/** How many items stand where. */
export type Counts = Readonly<Record<ItemState, number>>

const NONE: Counts = { waiting: 0, open: 0, taken: 0, done: 0, failed: 0, blocked: 0 }

export async function countsOf(tx: Tx, effort_id: number): Promise<Counts> {
  const rows = await countStates(tx, { effort_id })
  return { ...NONE, ...Object.fromEntries(rows.map(({ state, count }) => [state, count])) }
}

/** True if nobody does anything and nothing is open. */
export async function isOver(tx: Tx, effort_id: number): Promise<boolean> {
  for (const state of ['taken', 'open'] as const)
    if ((await anyIn(tx, { effort_id, state })) !== undefined) return false
  return (await anyIn(tx, { effort_id, state: 'waiting' })) === undefined
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

/** Where a body of work stands, as other lists show efforts; undefined for an effort with a plan of steps. */
export async function bodyAtWork(tx: Tx, { id: effort_id }: Pick<Effort, 'id'>) {
  if ((await findBody(tx, { effort_id })) === undefined) return undefined
  const counts = await countsOf(tx, effort_id)
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const isParked = counts.failed + counts.blocked > 0 && (await isOver(tx, effort_id))
  return {
    position: `${counts.done} of ${counted(total, 'item')} done`,
    parked: isParked ? await whyParked(tx, effort_id, counts) : null,
    next: `holdfast work list --effort ${effort_id}`,
  }
}
