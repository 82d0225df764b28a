import { linesOfText } from '../text/prose.ts'
import type { ItemDraft } from './item.ts'

/** A phase of a plan in markdown: `### Phase 2: Build` or `**Phase 2: Build**`. */
const PHASE = /^(?:#{1,6}\s+|\*\*)\s*Phase\s+([\w.]+)\s*[:.–—-]\s*(.+?)\s*(?:\*\*)?\s*:?\s*$/i
const HEADING = /^#{1,6}\s+/
const ENTRY = /^(?:(\d{1,4})[.)]|[-*+])\s+(?:\[([ xX])\]\s+)?(.*\S)\s*$/
const INDEPENDENT = /\b(?:independent(?:ly)? of|no dependenc(?:y|ies)|not? depend(?:s|ing)? on)\b/i
const AFTER =
  /\b(?:after|depends on|blocked by|needs|requires)\s+((?:(?:task|item|step)s?\s+)?#?\d[\w.]*(?:\s*(?:,|and|&)\s*#?\d[\w.]*)*)/i
const PATH = /`([\w@.-]+(?:\/[\w@.*-]+)+|[\w-]+\.[a-z]{1,4})`/g

/** A list entry, or a phase that has none. */
interface Entry {
  readonly phase: Phase
  readonly number: string | undefined
  readonly isOrdered: boolean
  readonly isDone: boolean
  readonly title: string
  readonly more: string[]
}

interface Phase {
  readonly number: string
  readonly name: string
  readonly text: string[]
  readonly entries: Entry[]
}

/** The items of a plan in markdown, and how many of its entries are ticked already. */
export function draftsOfMarkdown(text: string): {
  readonly drafts: readonly ItemDraft[]
  readonly ticked: number
} {
  const phases = phasesIn(text)
  const all = phases.flatMap((phase) => (phase.entries.length > 0 ? phase.entries : wholePhase(phase)))
  const ids = idsOf(all)
  const open = all.filter(({ isDone }) => !isDone)
  const drafts = open.map((entry) => draftOf(entry, all, ids))
  return { drafts, ticked: all.length - open.length }
}

/** Entries above the first phase belong to no plan, unless there are no phases at all. */
function phasesIn(text: string): readonly Phase[] {
  const outside: Phase = { number: '', name: '', text: [], entries: [] }
  const found: Phase[] = []
  let now: Phase | undefined = outside
  for (const { text: line, isCode } of linesOfText(text)) {
    const heading = isCode ? null : PHASE.exec(line)
    if (heading !== null) {
      now = { number: heading[1] ?? '', name: heading[2] ?? '', text: [], entries: [] }
      found.push(now)
      continue
    }
    // Another heading of the plan ends a phase; one that lies deeper would have the form of a phase.
    if (!isCode && HEADING.test(line) && found.length > 0) now = undefined
    if (now === undefined) continue
    const entry = isCode ? null : ENTRY.exec(line)
    if (entry !== null) now.entries.push(entryOf(now, entry))
    else (now.entries.at(-1)?.more ?? now.text).push(line)
  }
  return found.length > 0 ? found : [outside]
}

const entryOf = (phase: Phase, [, number, tick, title = '']: RegExpExecArray): Entry => ({
  phase,
  number,
  isOrdered: number !== undefined,
  isDone: tick === 'x' || tick === 'X',
  title,
  more: [],
})

/** A phase without entries is one thing to do. */
const wholePhase = (phase: Phase): readonly Entry[] =>
  phase.name === ''
    ? []
    : [{ phase, number: undefined, isOrdered: true, isDone: false, title: phase.name, more: phase.text }]

/** An item of phase 2 is called 2.1, whatever number its entry has; doubled numbers of phases count on. */
function idsOf(all: readonly Entry[]): ReadonlyMap<Entry, string> {
  const used = new Set<string>()
  return new Map(
    all.map((entry) => {
      const { phase } = entry
      const place = phase.entries.indexOf(entry) + 1
      const prefix = phase.number === '' ? '' : `${phase.number.replace(/\.+$/, '')}.`
      const wanted = place === 0 ? phase.number : `${prefix}${place}`
      let id = wanted === '' ? '1' : wanted
      for (let counter = 2; used.has(id); counter++) id = `${wanted}-${counter}`
      used.add(id)
      return [entry, id]
    }),
  )
}

function draftOf(entry: Entry, all: readonly Entry[], ids: ReadonlyMap<Entry, string>): ItemDraft {
  const { phase, title, more } = entry
  const told = [title, ...more].join('\n').trimEnd()
  const blockers = blockersOf(entry, all, ids).filter(({ isDone }) => !isDone)
  const files = [...new Set([...told.matchAll(PATH)].map(([, path = '']) => path))]
  return {
    item: ids.get(entry) ?? '',
    title: plain(title),
    ...(told !== title && { prompt: told }),
    ...(phase.name !== '' && { phase: `${phase.number}: ${phase.name}` }),
    ...(files.length > 0 && { files }),
    blocked_by: blockers.map((one) => ids.get(one) ?? ''),
  }
}

/** A title without the marks of markdown. */
const plain = (title: string): string => title.replaceAll(/\*\*|`/g, '').replace(/[:\s]+$/, '')

/** A numbered entry waits for the one before it, and a phase for the one before; words of the plan say otherwise. */
function blockersOf(entry: Entry, all: readonly Entry[], ids: ReadonlyMap<Entry, string>): readonly Entry[] {
  const { phase } = entry
  const words = [entry.title, ...entry.more].join(' ')
  const named = namedIn(words)
  if (named.length > 0)
    return all.filter((one) => one !== entry && named.some((name) => isNamed(one, name, entry, ids)))
  if (INDEPENDENT.test(words)) return []
  const before = phase.entries[phase.entries.indexOf(entry) - 1]
  if (entry.isOrdered && before !== undefined) return [before]
  if (INDEPENDENT.test([phase.name, ...phase.text].join(' '))) return []
  const phases = [...new Set(all.map((one) => one.phase))]
  const former = phases[phases.indexOf(phase) - 1]
  return former === undefined ? [] : all.filter((one) => one.phase === former)
}

const namedIn = (words: string): readonly string[] =>
  (AFTER.exec(words)?.[1]?.match(/\d[\w.]*/g) ?? []).map((name) => name.replace(/\.+$/, ''))

/** A number alone means an entry of the same phase. */
const isNamed = (one: Entry, name: string, from: Entry, ids: ReadonlyMap<Entry, string>): boolean =>
  ids.get(one) === name || (one.phase === from.phase && one.number === name)
