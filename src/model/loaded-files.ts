import type { HookEvent } from './event.ts'

/** So many files a window is remembered to have read; of more, the newest. */
export const MOST_LOADED = 500

const LONGEST_PATH = 4096

/** The files that an event has brought into the context; a search brings only what it finds of them. */
export function loadedBy(event: HookEvent): readonly string[] {
  if (event.kind !== 'tool.after' || event.tool.does.kind !== 'files') return []
  return event.tool.does.touches
    .filter(({ path, how, part }) => how === 'read' && part !== true && path.length <= LONGEST_PATH)
    .map(({ path }) => path)
}

/** Each once, in the order in which they were first read. Most calls load nothing new: then the list is the old one. */
export function loadedAfter(old: readonly string[], news: readonly string[]): readonly string[] {
  const fresh = news.filter((path) => !old.includes(path))
  return fresh.length === 0 ? old : [...old, ...new Set(fresh)].slice(-MOST_LOADED)
}
