import { listed, quoted } from '../text/line.ts'
import { type Item, type ItemDraft, ITEM_ID, USUAL_LIMIT } from './item.ts'

/** Why a draft cannot become an item. */
export interface ItemProblem {
  /** Its place in the list, counted from 1. */
  readonly at: number
  readonly message: string
}

/** What is known of the items that are there already. */
export interface KnownItems {
  readonly has: (item: string) => boolean
  /** The item that produces a result. */
  readonly producer: (result: string) => string | undefined
  /** The last number that was given. */
  readonly last: number
}

const NO_ITEMS: KnownItems = { has: () => false, producer: () => undefined, last: 0 }

/** Items of drafts: with ids, and with every result that one needs as the item that produces it. */
export function itemsOf(
  drafts: readonly ItemDraft[],
  known: KnownItems = NO_ITEMS,
): { readonly items: readonly Item[]; readonly problems: readonly ItemProblem[] } {
  const named = withIds(drafts, known)
  const own = new Set(named.map(({ item }) => item))
  const makers = new Map(named.flatMap(({ item, produces = [] }) => produces.map((result) => [result, item])))
  const problems = [...doubled(named, known)]
  const items = named.map((draft, index): Item => {
    const at = index + 1
    const made = (draft.consumes ?? []).flatMap((result) => {
      const maker = makers.get(result) ?? known.producer(result)
      if (maker === undefined) problems.push({ at, message: `No item produces ${quoted(result)}.` })
      return maker ?? []
    })
    const blockedBy = [...new Set([...(draft.blocked_by ?? []), ...made])]
    for (const blocker of blockedBy)
      if (blocker === draft.item) problems.push({ at, message: `Item ${draft.item} waits for itself.` })
      else if (!own.has(blocker) && !known.has(blocker) && !made.includes(blocker))
        problems.push({
          at,
          message: `Item ${draft.item} waits for ${quoted(blocker)}, which does not exist.`,
        })
    return itemOf(draft, blockedBy)
  })
  return { items, problems: [...problems, ...circles(items)].toSorted((a, b) => a.at - b.at) }
}

type Named = ItemDraft & { readonly item: string }

function withIds(drafts: readonly ItemDraft[], { has, last }: KnownItems): readonly Named[] {
  const taken = new Set(drafts.flatMap(({ item }) => item ?? []))
  let number = last
  return drafts.map((draft) => {
    if (draft.item !== undefined) return { ...draft, item: draft.item }
    do number += 1
    while (taken.has(`${number}`) || has(`${number}`))
    return { ...draft, item: `${number}` }
  })
}

function doubled(named: readonly Named[], { has }: KnownItems): readonly ItemProblem[] {
  const seen = new Set<string>()
  return named.flatMap(({ item }, index) => {
    const at = index + 1
    if (!ITEM_ID.test(item))
      return {
        at,
        message: `${quoted(item, 80)} is no name for an item: use letters, digits, ".", "-" and "_".`,
      }
    if (seen.has(item) || has(item)) return { at, message: `There are two items ${quoted(item)}.` }
    seen.add(item)
    return []
  })
}

const itemOf = ({ item, title, ...draft }: Named, blockedBy: readonly string[]): Item => ({
  item,
  title,
  prompt: draft.prompt ?? null,
  skill: draft.skill ?? null,
  phase: draft.phase ?? null,
  files: draft.files ?? [],
  blockedBy,
  produces: draft.produces ?? [],
  limit: draft.limit ?? USUAL_LIMIT,
  model: draft.model ?? null,
  proof: draft.proof ?? null,
})

/** Items that wait for each other would wait for ever; those that are there already wait for no new one. */
function circles(items: readonly Item[]): readonly ItemProblem[] {
  const ordered = new Set(inOrder(items))
  const first = items.findIndex((one) => !ordered.has(one))
  if (first === -1) return []
  const names = items.filter((one) => !ordered.has(one)).map(({ item }) => item)
  return [{ at: first + 1, message: `These items wait for each other: ${listed(names, 200)}.` }]
}

/** Items with each behind all that it waits for; those in a circle are missing. */
export function inOrder<I extends Pick<Item, 'item' | 'blockedBy'>>(items: readonly I[]): readonly I[] {
  const byName = new Map(items.map((one) => [one.item, one]))
  const left = new Map(
    items.map(({ item, blockedBy }) => [item, blockedBy.filter((blocker) => byName.has(blocker)).length]),
  )
  const behind = Map.groupBy(
    items.flatMap((one) => one.blockedBy.map((blocker) => ({ one, blocker }))),
    ({ blocker }) => blocker,
  )
  const ordered = new Set(items.filter(({ item }) => left.get(item) === 0))
  // The loop also visits what it adds.
  for (const { item: blocker } of ordered)
    for (const { one } of behind.get(blocker) ?? []) {
      const open = (left.get(one.item) ?? 0) - 1
      left.set(one.item, open)
      if (open === 0) ordered.add(one)
    }
  return [...ordered]
}
