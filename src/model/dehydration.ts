import { keptText } from './text/kept.ts'

/** What a window leaves for the next one of the same effort, in the fields that the seeds' own skill files write. */
export interface Dehydration {
  readonly summary?: string | undefined
  readonly lastAction?: string | undefined
  readonly nextSteps?: readonly string[] | undefined
  readonly handoverInstructions?: string | undefined
  readonly userHistory?: string | undefined
  readonly requiredFiles?: readonly string[] | undefined
}

/** An agent knows what it meant to do; what we make from the store is there even when nobody wrote one. */
export const AUTHORS = ['agent', 'engine'] as const
export type Author = (typeof AUTHORS)[number]

/** One that is kept: by effort, so that it is found whoever ends and whoever begins. */
export interface KeptDehydration {
  readonly effort_id: number
  readonly author: Author
  /** The window that it is of, where that is known. */
  readonly session_id: number | null
  readonly payload: Dehydration
  /** What was too much, in sentences. */
  readonly cut: readonly string[]
  readonly created_at: string
}

export const MOST_FILES = 8
const MOST_ITEMS = 50
/** About 4,000 tokens, a few per cent of a context window. */
export const MOST_CHARACTERS = 12_000

/** The most important first: what to do comes before what was done. */
const BY_IMPORTANCE = [
  'nextSteps',
  'lastAction',
  'handoverInstructions',
  'summary',
  'requiredFiles',
  'userHistory',
] as const satisfies readonly (keyof Dehydration)[]

/** At most so many characters: what is more important may take half of what is left, and more where the rest is small. */
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

/** Less of a text says nothing, and has no room for the words that say it was cut. */
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
    : `${field} had ${value.length} items, of which the first ${kept.length} were kept`
