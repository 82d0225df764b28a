import { type Entry, entryOf } from '../series/entry.ts'
import { type Frontmatter, readFrontmatter } from '../text/frontmatter.ts'
import { type Block, readBlocks } from '../text/markdown.ts'
import type { SourceText } from '../text/text.ts'
import { isFieldHeading } from './fields.ts'

/** A heading that divides a runbook; `other` are all that mean nothing to us. */
export interface Mark {
  readonly kind: 'phase' | 'step' | 'cycle' | 'context' | 'instructions' | 'other'
  readonly level: number
  readonly line: number
  readonly text: string
  /** The number and title of a phase, step or cycle. */
  readonly entry?: Entry
}

/** A line that was probably meant as the header of a step or phase, but is none. */
export interface Stray {
  readonly what: 'step' | 'phase'
  readonly line: number
  readonly text: string
}

/** One file of a runbook. */
export interface Part {
  readonly source: SourceText
  readonly frontmatter: Frontmatter
  readonly blocks: readonly Block[]
  readonly marks: readonly Mark[]
  readonly strays: readonly Stray[]
}

/** Deeper headings are subsections of a step. */
const DEEPEST_STEP = 4
const DEEPEST_PHASE = 3

/** Divides a file by its headings; the only place that decides what a step of a runbook is. */
export function readPart(source: SourceText): Part {
  const frontmatter = readFrontmatter(source)
  const blocks = readBlocks(source, frontmatter.bodyLine)
  const own = blocks.filter(({ line }) => !QUOTED.test(source.lines[line - 1] ?? ''))
  const marks = own.flatMap((block): Mark[] => {
    if (block.kind !== 'heading' || isFieldHeading(block.text)) return []
    const { level, line, text } = block
    return [{ ...kindOf(text, level, line), level, line, text }]
  })
  return { source, frontmatter, blocks, marks, strays: own.flatMap((block) => strayIn(block)) }
}

/** A quotation shows the steps of another plan. */
const QUOTED = /^ {0,3}>/

function kindOf(text: string, level: number, line: number): Pick<Mark, 'kind' | 'entry'> {
  const entry = { ...entryOf(text), line }
  if (isNumbered(entry)) {
    const { word, number } = entry
    if ((word === 'step' || word === 'cycle') && level <= DEEPEST_STEP) return { kind: word, entry }
    if (word === 'phase' && level <= DEEPEST_PHASE && WHOLE.test(number)) return { kind: 'phase', entry }
  }
  const name = SECTION.exec(text)?.[1]?.toLowerCase()
  if (level <= DEEPEST_PHASE && name !== undefined)
    return { kind: name.startsWith('common') ? 'context' : 'instructions' }
  return { kind: 'other' }
}

const isNumbered = (entry: Partial<Entry> & { readonly line: number }): entry is Entry =>
  entry.word !== undefined

const WHOLE = /^\d+$/
/** Authors leave spaces and colons behind the names. */
const SECTION = /^\W*(common context|orchestrator instructions)\W*$/i

const NUMERAL = String.raw`(?:one|two|three|four|five|six|seven|eight|nine|ten|[ivx]+\b|-?\d)`
const MEANT = {
  heading: new RegExp(String.raw`^(step|cycle|phase)\s+${NUMERAL}`, 'i'),
  paragraph: /^#{1,6}(step|cycle|phase)\s+\S/i,
}

/** A number in words, hashes without the space that a heading needs, or a step that is too deep. */
function strayIn(block: Block): readonly Stray[] {
  if (block.kind !== 'heading' && block.kind !== 'paragraph') return []
  const word = MEANT[block.kind].exec(block.text)?.[1]?.toLowerCase()
  if (word === undefined) return []
  const what = word === 'phase' ? 'phase' : 'step'
  if (block.kind === 'heading') {
    const entry = entryOf(block.text)
    const isRead =
      what === 'step'
        ? entry !== undefined && block.level <= DEEPEST_STEP
        : block.level > DEEPEST_PHASE || (entry !== undefined && WHOLE.test(entry.number))
    if (isRead) return []
  }
  return [{ what, line: block.line, text: block.text.split('\n', 1)[0] ?? '' }]
}
