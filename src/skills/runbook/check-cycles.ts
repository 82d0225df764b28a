import { type Diagnostic, diagnose } from '../../model/diagnostic.ts'
import { sortOf, type Tag, tagsIn, wantedOf } from './cycle.ts'
import { placeOfItem, type Sections } from './sections.ts'

const NAMES: Readonly<Record<Tag, string>> = {
  bootstrap: 'Bootstrap',
  red: 'RED',
  green: 'GREEN',
  refactor: 'REFACTOR',
  stop: 'Stop Conditions',
  dependencies: 'Dependencies',
}

/** These may stand once for all cycles, below Common Context or the header of their phase. */
const SHARED: ReadonlySet<Tag> = new Set(['stop', 'dependencies'])

/** What each cycle lacks. Only headings and labels count, never a word in the text. */
export function checkCycles({ phases, loose, context }: Sections): readonly Diagnostic[] {
  const common = context.flatMap((one) => tagsIn(one).map(({ tag }) => tag))
  const groups = [{ intro: undefined, items: loose }, ...phases]
  return groups.flatMap(({ intro, items }) => {
    const shared = new Set([...common, ...(intro === undefined ? [] : tagsIn(intro).map(({ tag }) => tag))])
    return items.flatMap((item): readonly Diagnostic[] => {
      const { kind, entry, lines } = item
      if (kind !== 'cycle') return []
      const sort = sortOf(entry.number, entry.title)
      const own = new Set(tagsIn(lines).map(({ tag }) => tag))
      const has = (tag: Tag) => own.has(tag) || (SHARED.has(tag) && shared.has(tag))
      const place = placeOfItem(item)
      const missing = wantedOf(sort).filter((tag) => !has(tag))
      return [
        ...missing.map((tag) =>
          diagnose('HF405', place, `Cycle ${entry.number} has no section ${NAMES[tag]}.`, hintFor(tag)),
        ),
        ...(sort === 'spike' || has('dependencies')
          ? []
          : [diagnose('HF406', place, `Cycle ${entry.number} does not say what it depends on.`)]),
      ]
    })
  })
}

const hintFor = (tag: Tag): string =>
  tag === 'stop'
    ? 'Add a heading ### Stop Conditions to the cycle, or once below ## Common Context.'
    : `Add a heading ### ${NAMES[tag]} Phase, or mark a spike with 0.x and a regression with [REGRESSION].`
