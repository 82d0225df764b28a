import { keptText } from './text/kept.ts'

/** The handover note of a session, with the fields that seed skills write. */
export interface Dehydration {
  readonly summary?: string | undefined
  readonly lastAction?: string | undefined
  readonly nextSteps?: readonly string[] | undefined
  readonly handoverInstructions?: string | undefined
  readonly userHistory?: string | undefined
  readonly requiredFiles?: readonly string[] | undefined
}

/** An agent knows its intent; the engine's note exists even if the agent wrote none. */
export const AUTHORS = ['agent', 'engine'] as const
export type Author = (typeof AUTHORS)[number]

/** A stored note, by effort, so that any later session finds it. */
export interface KeptDehydration {
  readonly effort_id: number
  readonly author: Author
  /** Its session, if known. */
  readonly session_id: number | null
  readonly payload: Dehydration
  /** What was cut, in sentences. */
  readonly cut: readonly string[]
  readonly created_at: string
}

export const MOST_FILES = 8
const MOST_ITEMS = 50
/** About 4,000 tokens, a few percent of a context window. */
export const MOST_CHARACTERS = 12_000

/** Most important first: next actions before past ones. */
const BY_IMPORTANCE = [
  'nextSteps',
  'lastAction',
  'handoverInstructions',
  'summary',
  'requiredFiles',
  'userHistory',
] as const satisfies readonly (keyof Dehydration)[]

/** Cuts a note to size; each field gets half of the remaining room, or more if the rest is small. */
export function fitDehydration(
  given: Dehydration,
  room = MOST_CHARACTERS,
): { readonly payload: Dehydration; readonly cut: readonly string[] } {
  const cut: string[] = []
  const payload: Record<string, string | readonly string[]> = {}
  let left = room
  let after = BY_IMPORTANCE.reduce((sum, field) => sum + sizeOf(given[field]), 0)
  for (const field of BY_IMPORTANCE) {
    const value = given[field]
    after -= sizeOf(value)
    if (value === undefined || value.length === 0) continue
    const share = Math.max(Math.floor(left / 2), left - after)
    const kept =
      typeof value === 'string'
        ? textWithin(value, share)
        : itemsWithin(value, { room: share, most: field === 'requiredFiles' ? MOST_FILES : MOST_ITEMS })
    if (sizeOf(kept) < sizeOf(value) || kept.length < value.length) cut.push(lossOf(field, value, kept))
    if (kept.length > 0) payload[field] = kept
    left -= sizeOf(kept)
  }
  return { payload, cut }
}

const sizeOf = (value: string | readonly string[] | undefined): number =>
  typeof value === 'string' ? value.length : (value ?? []).reduce((sum, item) => sum + item.length, 0)

/** A shorter text says nothing and has no room for the cut notice. */
const SHORTEST_TEXT = 100

const textWithin = (text: string, room: number): string =>
  text.length > room && room < SHORTEST_TEXT ? '' : keptText(text, room)

/** Whole items, because half a path names another file. */
function itemsWithin(
  items: readonly string[],
  { room, most }: { readonly room: number; readonly most: number },
): readonly string[] {
  const kept: string[] = []
  let left = room
  for (const item of items.slice(0, most)) {
    const text = keptText(item, Infinity)
    left -= text.length
    if (left < 0) break
    kept.push(text)
  }
  return kept
}

const lossOf = (field: string, value: string | readonly string[], kept: string | readonly string[]): string =>
  typeof value === 'string'
    ? `${field} had ${value.length} characters and was cut to ${kept.length}`
    : `${field} had ${value.length} items and was cut to the first ${kept.length}`
