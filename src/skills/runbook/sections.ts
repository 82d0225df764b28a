import type { Place } from '../../model/diagnostic.ts'
import type { Entry } from '../series/entry.ts'
import { tagOf } from './cycle.ts'
import type { Lines } from './fields.ts'
import type { Mark, Part } from './part.ts'
import { readPhaseHeader } from './phase-header.ts'

/** A step or cycle as it is written. */
export interface WrittenItem {
  readonly kind: 'step' | 'cycle'
  readonly entry: Entry
  /** The line of its heading. */
  readonly at: number
  /** Its section; fields between two rules above the heading belong to it. */
  readonly lines: Lines
}

/** An item as its author calls it. */
export const nameOf = ({ kind, entry }: WrittenItem): string =>
  `${kind === 'cycle' ? 'Cycle' : 'Step'} ${entry.number}`

/** Where its heading stands. */
export const placeOfItem = ({ lines: { part }, at: line }: WrittenItem): Place => ({
  file: part.source.file,
  line,
  column: 1,
})

/** A phase as it is written. */
export interface WrittenPhase {
  readonly number: number
  /** Absent for the file of a phase that does not repeat its header. */
  readonly header?: Mark
  readonly part: Part
  /** What stands before its first item. */
  readonly intro: Lines
  readonly items: readonly WrittenItem[]
}

/** Where its header stands, else its first line. */
export const placeOfPhase = ({ part, header, intro }: WrittenPhase): Place => ({
  file: part.source.file,
  line: header?.line ?? intro.from,
  column: 1,
})

/** A runbook divided into its sections, in document order. */
export interface Sections {
  readonly phases: readonly WrittenPhase[]
  /** Items above the first phase header. */
  readonly loose: readonly WrittenItem[]
  readonly context: readonly Lines[]
  readonly instructions: readonly Lines[]
  /** Sections behind the first item that mean nothing to us. */
  readonly unused: readonly { readonly part: Part; readonly mark: Mark }[]
}

/** A file, and the number of its phase if its name says one. */
export interface NumberedPart {
  readonly part: Part
  readonly phase?: number
}

interface Open {
  readonly kind: Mark['kind'] | 'top'
  readonly level: number
  readonly number?: string
  readonly isInline?: boolean
  /** Called with the first line that no longer belongs to it. */
  readonly close: (to: number) => void
}

interface Growing extends Omit<WrittenPhase, 'items' | 'intro'> {
  intro: Lines
  readonly items: WrittenItem[]
}

/** Divides the files of a runbook. */
export function divide(parts: readonly NumberedPart[]): Sections {
  const divider = new Divider()
  for (const part of parts) divider.add(part)
  return divider.sections
}

const NOTHING = (): void => undefined

class Divider {
  readonly #phases: Growing[] = []
  readonly #loose: WrittenItem[] = []
  readonly #context: Lines[] = []
  readonly #instructions: Lines[] = []
  readonly #unused: Sections['unused'][number][] = []
  #hasItems = false

  get sections(): Sections {
    const isFlat = this.#phases.length === 0
    return {
      phases: isFlat ? byNumber(this.#loose) : this.#phases,
      loose: isFlat ? [] : this.#loose,
      context: this.#context,
      instructions: this.#instructions,
      unused: this.#unused,
    }
  }

  add({ part, phase }: NumberedPart): void {
    const { marks, source, frontmatter } = part
    const isHeaded = marks.some(({ kind }) => kind === 'phase')
    let at: Open =
      phase === undefined || isHeaded
        ? { kind: 'top', level: 0, close: NOTHING }
        : this.#enter(part, frontmatter.bodyLine + 1, { number: phase })
    for (const mark of marks) {
      if (isContent(mark, at)) continue
      const from = mark.kind === 'step' || mark.kind === 'cycle' ? headAbove(part, mark.line) : mark.line
      at.close(from)
      at = this.#open(part, from, mark)
    }
    at.close(source.lines.length + 1)
  }

  #open(part: Part, from: number, mark: Mark): Open {
    const { kind, level, line, entry } = mark
    if (kind === 'phase') return this.#enter(part, line + 1, { number: Number(entry?.number), header: mark })
    if (entry !== undefined) return this.#item(part, from, { ...mark, entry })
    if (kind === 'context' || kind === 'instructions') {
      const list = kind === 'context' ? this.#context : this.#instructions
      return { kind, level, close: (to) => void list.push({ part, from: line + 1, to }) }
    }
    if (this.#hasItems) this.#unused.push({ part, mark })
    return { kind, level, close: NOTHING }
  }

  #enter(part: Part, from: number, phase: Pick<Growing, 'number' | 'header'>): Open {
    const fresh: Growing = { ...phase, part, intro: { part, from, to: from }, items: [] }
    this.#phases.push(fresh)
    const level = phase.header?.level ?? 1
    const isInline = readPhaseHeader(part, phase.header).type === 'inline'
    return { kind: 'phase', level, isInline, close: (to) => (fresh.intro = { part, from, to }) }
  }

  #item(
    part: Part,
    from: number,
    { kind: word, level, entry, line: at }: Mark & { readonly entry: Entry },
  ): Open {
    const items = this.#phases.at(-1)?.items ?? this.#loose
    const kind = word === 'cycle' ? 'cycle' : 'step'
    this.#hasItems = true
    const close = (to: number) => void items.push({ kind, entry, at, lines: { part, from, to } })
    return { kind, level, number: entry.number, close }
  }
}

/** Without phase headers, items numbered 1.1 and 2.1 are in phases 1 and 2; all others are in one phase. */
function byNumber(items: readonly WrittenItem[]): readonly WrittenPhase[] {
  const isDeep = items.every(({ entry }) => /^\d+\./.test(entry.number))
  const phases: Growing[] = []
  for (const item of items) {
    const number = isDeep ? Number.parseInt(item.entry.number, 10) : 1
    const { part, from } = item.lines
    if (phases.at(-1)?.number === number) phases.at(-1)?.items.push(item)
    else phases.push({ number, part, intro: { part, from, to: from }, items: [item] })
  }
  return phases
}

/** Whether a heading belongs to the section that is open. */
function isContent({ kind, level, text, entry }: Mark, open: Open): boolean {
  const isItem = open.kind === 'step' || open.kind === 'cycle'
  switch (kind) {
    case 'phase':
      return false
    case 'step':
    case 'cycle':
      // "### Step 2 in detail" inside of step 2.
      return isItem && kind === open.kind && entry?.number === open.number && level > open.level
    case 'context':
    case 'instructions':
      return isItem && level > Math.max(open.level, 2)
    case 'other':
      if (open.kind === 'top') return false
      // Whatever stands before the first step of a phase is its context.
      if (open.kind === 'phase' && open.isInline !== true) return true
      if (open.kind === 'cycle' && tagOf(text) !== undefined) return true
      return (
        level >
        (open.kind === 'context' || open.kind === 'instructions' ? open.level : Math.min(open.level, 2))
      )
  }
}

/** The first line of an item: fields between two rules right above its heading belong to it. */
function headAbove({ source: { lines }, frontmatter }: Part, heading: number): number {
  const isRule = (line: number) => /^-{3,}\s*$/.test(lines[line - 1] ?? '')
  let line = heading - 1
  while (line > frontmatter.bodyLine && (lines[line - 1] ?? '').trim() === '') line--
  if (!isRule(line)) return heading
  const last = line--
  while (line > frontmatter.bodyLine && HEAD_LINE.test(lines[line - 1] ?? '')) line--
  return line > frontmatter.bodyLine && last - line > 1 && isRule(line) ? line : heading
}

/** Keys of such a head have spaces, unlike those of frontmatter. */
const HEAD_LINE = /^[A-Za-z][\w -]{0,40}:(?:[ \t].*)?$/
