import type { CyclePart } from '../../model/runbook/runbook.ts'
import type { Block } from '../text/markdown.ts'
import { blocksIn, type Lines, textLines } from './fields.ts'

/** The sections of a cycle that mean something; the others belong to the one before. */
export type Tag = 'bootstrap' | 'red' | 'green' | 'refactor' | 'stop' | 'dependencies'

const PATTERNS: Readonly<Record<Tag, RegExp>> = {
  bootstrap: /^bootstrap\b/i,
  // Of RED-GREEN-REFACTOR, which names all of them, no single one is meant.
  red: /^red\b(?!\s*[-–/→]\s*green)/i,
  green: /^green\b(?!\s*[-–/→]\s*refactor)/i,
  refactor: /^refactor(?:ing)?\b/i,
  stop: /^(?:stop|error)(?:\s*(?:\/|and|or)\s*(?:stop|error))?\s+conditions?\b/i,
  dependencies: /^(?:(?:step|cycle|phase)\s+)?(?:dependenc(?:y|ies)|depends on|prerequisites?)\b/i,
}
const TAGS = Object.keys(PATTERNS) as readonly Tag[]

/** Emoji, numbers and words such as `Phase 1` that may stand before the name. */
const LEAD = /^(?:[^\p{L}]|(?:phase|step|cycle|part)\s+\d+(?:\.\d+)*)+/iu

/** The section that a heading or label opens; a word that only contains the name opens none. */
export function tagOf(label: string): Tag | undefined {
  const words = label.replace(LEAD, '')
  return TAGS.find((tag) => PATTERNS[tag].test(words))
}

/** A bold beginning of a line, or a line that is only a name and a colon. */
const LABEL = /^(?:\*\*|__)([^*_\n]{1,120}?)(?:\*\*|__)|^([A-Za-z][^:\n]{0,60}):\s*$/

export interface TagAt {
  readonly tag: Tag
  readonly line: number
}

/** The sections that begin in these lines, in order. */
export function tagsIn(lines: Lines): readonly TagAt[] {
  return blocksIn(lines).flatMap((block) => tagsOf(block))
}

function tagsOf(block: Block): readonly TagAt[] {
  if (block.kind === 'heading') {
    const tag = tagOf(block.text)
    return tag === undefined ? [] : [{ tag, line: block.line }]
  }
  return textLines([block]).flatMap(({ text, line }) => {
    const [, bold, plain] = LABEL.exec(text.trim()) ?? []
    const tag = tagOf(bold ?? plain ?? '')
    return tag === undefined ? [] : [{ tag, line }]
  })
}

/** What a cycle is, by its number and title. */
export type CycleSort = 'spike' | 'regression' | 'full'

export const sortOf = (number: string, title: string): CycleSort =>
  /^0(\.|$)/.test(number) ? 'spike' : /\[regression\]/i.test(title) ? 'regression' : 'full'

/** The sections that a cycle must have. */
export const wantedOf = (sort: CycleSort): readonly Tag[] =>
  sort === 'spike' ? [] : sort === 'regression' ? ['green'] : ['red', 'green', 'stop']

const PART_OF: Readonly<Record<Tag, CyclePart | undefined>> = {
  bootstrap: 'bootstrap',
  red: 'test',
  green: 'impl',
  refactor: 'impl',
  stop: undefined,
  dependencies: undefined,
}

/**
 * The lines of each part of a cycle, as ranges. Its introduction, dependencies and stop conditions belong to each part,
 * because different agents do them.
 */
export function partsOf(lines: Lines): ReadonlyMap<CyclePart, readonly Lines[]> {
  const tags = tagsIn(lines)
  const sections = [
    { part: undefined, from: lines.from, to: tags[0]?.line ?? lines.to },
    ...tags.map(({ tag, line }, at) => ({
      part: PART_OF[tag],
      from: line,
      to: tags[at + 1]?.line ?? lines.to,
    })),
  ]
  const wanted = new Set(sections.flatMap(({ part }) => part ?? []))
  return new Map(
    ORDER.filter((part) => wanted.has(part)).map((part) => [
      part,
      sections
        .filter((one) => one.part === undefined || one.part === part)
        .map(({ from, to }) => ({ ...lines, from, to })),
    ]),
  )
}

const ORDER: readonly CyclePart[] = ['bootstrap', 'test', 'impl']
