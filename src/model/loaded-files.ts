import type { HookEvent } from './event.ts'

/** The most files remembered per session; the oldest are dropped. */
export const MOST_LOADED = 500

/** The same for changed files. */
const MOST_CHANGED = 200

const LONGEST_PATH = 4096

/** The files that an event loaded into the context; a search loads only its matches. */
export function loadedBy(event: HookEvent): readonly string[] {
  if (event.kind !== 'tool.after' || event.tool.does.kind !== 'files') return []
  return event.tool.does.touches
    .filter(({ path, how, part }) => how === 'read' && part !== true && path.length <= LONGEST_PATH)
    .map(({ path }) => path)
}

/** The files that an event changed. */
export function changedBy(event: HookEvent): readonly string[] {
  if (event.kind !== 'tool.after' || event.tool.does.kind !== 'files') return []
  return event.tool.does.touches
    .filter(({ path, how }) => how === 'write' && path.length <= LONGEST_PATH)
    .map(({ path }) => path)
}

/** Each file once, the last changed one last; the same list if nothing is new. */
export function changedAfter(old: readonly string[], news: readonly string[]): readonly string[] {
  if (news.length === 0) return old
  const last = new Set([...old, ...news].toReversed())
  return [...last].slice(0, MOST_CHANGED).toReversed()
}

/** Each file once, in order of first read; the same list if nothing is new. */
export function loadedAfter(old: readonly string[], news: readonly string[]): readonly string[] {
  if (news.length === 0) return old
  const fresh = news.filter((path) => !old.includes(path))
  return fresh.length === 0 ? old : [...old, ...new Set(fresh)].slice(-MOST_LOADED)
}
