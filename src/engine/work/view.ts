import type { Effort } from '../../model/effort.ts'
import type { ItemState } from '../../model/work/item.ts'
import { type Shape, shapeOf } from '../../model/work/shape.ts'
import { fromJson } from '../../store/json.ts'
import type { Tx } from '../../store/query.ts'
import {
  allBlockers,
  blockersOf,
  findBody,
  listWorkItems,
  triedItem,
  waitingFor,
  type WorkRow,
} from '../../store/work.ts'
import { type Counts, countsOf, whyParked } from '../effort/body-counts.ts'

/** An item as its callers read it. */
export interface ItemView {
  readonly effort_id: number
  readonly item: string
  readonly title: string
  readonly phase: string | null
  readonly state: ItemState
  readonly attempts: number
  readonly limit: number
  readonly blocked_by: readonly string[]
  /** Why it failed last, or what its worker said. */
  readonly reason: string | null
  /** The item that it is stuck behind. */
  readonly blocker: string | null
  readonly worker: string | null
  readonly fence: number
  readonly lease_until: string | null
}

/** The same with all that its worker needs. */
export interface WholeItem extends ItemView {
  readonly prompt: string | null
  readonly skill: string | null
  readonly files: readonly string[]
  readonly produces: readonly string[]
  readonly model: string | null
  readonly proof: string | null
  /** What waits for it. */
  readonly blocks: readonly string[]
}

async function itemView(tx: Tx, row: WorkRow): Promise<ItemView> {
  const { effort_id, item } = row
  const blockers = await blockersOf(tx, { effort_id, item })
  const visit = await triedItem(tx, { effort_id, item })
  return viewOf(row, { blocked_by: blockers.map(({ blocker }) => blocker), attempts: visit?.attempts ?? 0 })
}

const viewOf = (row: WorkRow, more: Pick<ItemView, 'blocked_by' | 'attempts'>): ItemView => ({
  effort_id: row.effort_id,
  item: row.item,
  title: row.title,
  phase: row.phase,
  state: row.state,
  attempts: more.attempts,
  limit: row.most_tries,
  blocked_by: more.blocked_by,
  reason: row.reason,
  blocker: row.blocker,
  worker: row.worker,
  fence: row.fence,
  lease_until: row.lease_until,
})

export async function wholeItem(tx: Tx, row: WorkRow): Promise<WholeItem> {
  const waiting = await waitingFor(tx, { effort_id: row.effort_id, blocker: row.item })
  const { prompt, skill, files, produces, model, proof } = row
  return {
    ...(await itemView(tx, row)),
    prompt,
    skill,
    files: fromJson<readonly string[]>(files, []),
    produces: fromJson<readonly string[]>(produces, []),
    model,
    proof,
    blocks: waiting.map(({ item }) => item),
  }
}

/** A body of work with its items. */
export interface BodyView {
  readonly effort_id: number
  readonly title: string
  readonly task_id: string
  readonly lifecycle: Effort['lifecycle']
  readonly shape: Shape
  readonly counts: Counts
  /** True if nothing goes on by itself any more. */
  readonly over: boolean
  /** What the user must decide; null while work goes on, or once all is done. */
  readonly parked: string | null
  readonly items: readonly ItemView[]
}

export async function bodyView(
  tx: Tx,
  effort: Effort,
  { states, limit }: { readonly states?: readonly ItemState[] | undefined; readonly limit: number },
): Promise<BodyView> {
  const effort_id = effort.id
  const counts = await countsOf(tx, effort_id)
  const blockers = await allBlockers(tx, { effort_id })
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const waits = new Set(blockers.map(({ item }) => item)).size
  const rows = await listWorkItems(tx, { effort_id, states, limit })
  const items: ItemView[] = []
  for (const row of rows) items.push(await itemView(tx, row))
  const { waiting, open, taken, failed, blocked } = counts
  const over = total > 0 && waiting + open + taken === 0
  return {
    effort_id,
    title: (await findBody(tx, { effort_id }))?.title ?? '',
    task_id: effort.task_id,
    lifecycle: effort.lifecycle,
    shape: shapeOf(Array.from({ length: total }, (_, at) => ({ blockedBy: at < waits ? [''] : [] }))),
    counts,
    over,
    parked: over && failed + blocked > 0 ? await whyParked(tx, effort_id, counts) : null,
    items,
  }
}
