import type { Around } from '../../model/work/move.ts'
import type { Tried } from '../../model/work/plan.ts'
import type { Tx } from '../../store/query.ts'
import { blockersOf, toTried, triedItem, type TriedRow, waitingFor } from '../../store/work.ts'

/** An item of a body of work. */
export interface ItemKey {
  readonly effort_id: number
  readonly item: string
}

/** Rows of items, each read once, with what they wait for if that matters. */
class Rows {
  readonly #tx: Tx
  readonly #effort: number
  readonly #known = new Map<string, TriedRow | undefined>()

  constructor(tx: Tx, effort: number) {
    this.#tx = tx
    this.#effort = effort
  }

  async row(item: string): Promise<TriedRow | undefined> {
    if (!this.#known.has(item))
      this.#known.set(item, await triedItem(this.#tx, { effort_id: this.#effort, item }))
    return this.#known.get(item)
  }

  /** The items that one waits for. */
  async blockers(item: string): Promise<readonly string[]> {
    return (await blockersOf(this.#tx, { effort_id: this.#effort, item })).map(({ blocker }) => blocker)
  }

  async tried(item: string, blockedBy: readonly string[]): Promise<readonly Tried[]> {
    const row = await this.row(item)
    return row === undefined ? [] : [toTried(row, blockedBy)]
  }
}

/** What the runner must know to let an item start: the item and what it waits for. However large the body is. */
export async function aroundStart(tx: Tx, { effort_id, item }: ItemKey): Promise<Around> {
  const rows = new Rows(tx, effort_id)
  const blockers = await rows.blockers(item)
  const known: Tried[] = [...(await rows.tried(item, blockers))]
  for (const one of blockers) known.push(...(await rows.tried(one, [])))
  return known
}

/** What the runner must know to end the try of an item: what waits for it, and all that those wait for. */
export async function aroundEnd(tx: Tx, { effort_id, item }: ItemKey): Promise<Around> {
  const rows = new Rows(tx, effort_id)
  const around = new Map<string, Tried>()
  const add = async (one: string, blockedBy: readonly string[]) => {
    for (const tried of await rows.tried(one, blockedBy)) around.set(one, tried)
  }
  const others = new Set<string>()
  await add(item, await rows.blockers(item))
  for (const { item: waiting } of await waitingFor(tx, { effort_id, blocker: item })) {
    const blockers = await rows.blockers(waiting)
    await add(waiting, blockers)
    for (const one of blockers) others.add(one)
  }
  for (const one of others) if (!around.has(one)) await add(one, [])
  return [...around.values()]
}
