import type { Effort } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import { type Item, type ItemDraft, MOST_ITEMS } from '../../model/work/item.ts'
import { standings } from '../../model/work/plan.ts'
import { itemsOf, type KnownItems } from '../../model/work/resolve.ts'
import { fromJson, toJson } from '../../store/json.ts'
import type { Tx } from '../../store/query.ts'
import {
  findBody,
  insertBlocker,
  insertWorkItem,
  producingItems,
  setLast,
  toTried,
  triedItem,
  type TriedRow,
} from '../../store/work.ts'
import type { Call } from '../call/method.ts'

/** Adds items to a body of work; the body is locked. Items that are there already stay as they are. */
export async function addItems(
  tx: Tx,
  effort: Effort,
  drafts: readonly ItemDraft[],
  call: Call,
): Promise<{ readonly added: readonly string[]; readonly known: readonly string[] }> {
  const body = await findBody(tx, { effort_id: effort.id })
  if (body === undefined) throw new Error('The body of work is gone.')
  const there = await namedIn(tx, effort.id, drafts)
  const isKnown = ({ item }: ItemDraft) => item !== undefined && there.has(item)
  const fresh = drafts.filter((draft) => !isKnown(draft))
  const known = await knownItems(tx, effort.id, { there, last: body.last_number })
  const { items, problems } = itemsOf(fresh, known)
  const [first, ...others] = problems
  if (first !== undefined)
    throw new EngineError(
      'invalid',
      `${first.message}${others.length === 0 ? '' : ` There are ${others.length} more problems.`}`,
      { field: 'items', hint: `holdfast work list --effort ${effort.id}` },
    )
  if (body.last_position + items.length > MOST_ITEMS)
    throw new EngineError('too-large', `A body of work has at most ${MOST_ITEMS} items.`, { field: 'items' })
  await store(tx, { effort, items, there, after: body.last_position }, call)
  const numbers = items.map(({ item }) => Number(item)).filter(Number.isSafeInteger)
  await setLast(tx, {
    effort_id: effort.id,
    position: body.last_position + items.length,
    number: Math.max(body.last_number, ...numbers),
  })
  if (items.length > 0)
    await call.record(tx, {
      event_type: 'work.added',
      skill: effort.skill,
      effort_id: effort.id,
      payload: { items: items.map(({ item }) => item) },
    })
  return {
    added: items.map(({ item }) => item),
    known: drafts.filter(isKnown).map(({ item = '' }) => item),
  }
}

/** The stored items that drafts name: themselves, or as what they wait for. */
async function namedIn(
  tx: Tx,
  effort_id: number,
  drafts: readonly ItemDraft[],
): Promise<ReadonlyMap<string, TriedRow>> {
  const there = new Map<string, TriedRow>()
  for (const item of new Set(
    drafts.flatMap(({ item: own, blocked_by = [] }) => [own ?? [], ...blocked_by].flat()),
  )) {
    const row = await triedItem(tx, { effort_id, item })
    if (row !== undefined) there.set(item, row)
  }
  return there
}

async function knownItems(
  tx: Tx,
  effort_id: number,
  { there, last }: { readonly there: ReadonlyMap<string, TriedRow>; readonly last: number },
): Promise<KnownItems> {
  const rows = await producingItems(tx, { effort_id })
  const makers = new Map(
    rows.flatMap(({ item, produces }) =>
      fromJson<readonly string[]>(produces, []).map((result) => [result, item] as const),
    ),
  )
  return { has: (item) => there.has(item), producer: (result) => makers.get(result), last }
}

interface Stored {
  readonly effort: Effort
  readonly items: readonly Item[]
  readonly there: ReadonlyMap<string, TriedRow>
  readonly after: number
}

/** The runner says which of them are open; what they wait for may be there already. */
async function store(tx: Tx, { effort, items, there, after }: Stored, call: Call): Promise<void> {
  const own = items.map((one) => ({ ...one, needsUser: false }))
  const before = [...(await withMakers(tx, effort.id, items, there)).values()].map((row) => ({
    ...toTried(row, []),
    stuckBehind: row.blocker ?? undefined,
  }))
  const all = [...before, ...own]
  const now = standings(all)
  const effort_id = effort.id
  for (const [index, one] of items.entries()) {
    const { state = 'waiting', blocker = null } = now.get(one.item) ?? {}
    await insertWorkItem(tx, {
      effort_id,
      item: one.item,
      position: after + index + 1,
      title: one.title,
      prompt: one.prompt,
      skill: one.skill,
      phase: one.phase,
      files: one.files.length === 0 ? null : toJson(one.files),
      produces: one.produces.length === 0 ? null : toJson(one.produces),
      most_tries: one.limit,
      model: one.model,
      proof: one.proof,
      state,
      blocker,
      created_at: call.now,
    })
  }
  for (const { item, blockedBy } of items)
    for (const blocker of blockedBy) await insertBlocker(tx, { effort_id, item, blocker })
}

/** The stored items that new ones wait for, also because of what they produce. */
async function withMakers(
  tx: Tx,
  effort_id: number,
  items: readonly Item[],
  there: ReadonlyMap<string, TriedRow>,
): Promise<ReadonlyMap<string, TriedRow>> {
  const all = new Map(there)
  const own = new Set(items.map(({ item }) => item))
  for (const blocker of new Set(items.flatMap(({ blockedBy }) => blockedBy))) {
    if (all.has(blocker) || own.has(blocker)) continue
    const row = await triedItem(tx, { effort_id, item: blocker })
    if (row !== undefined) all.set(blocker, row)
  }
  return all
}
