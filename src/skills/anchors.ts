import { type Diagnostic, diagnose } from '../model/diagnostic.ts'
import type { Found, SkillSource } from './notations/frontend.ts'
import { entryOf } from './series/entry.ts'
import { placeIn, type Sidecar } from './sidecar.ts'
import { type Block, withoutLinks } from './text/markdown.ts'
import { fieldsOf } from './text/values.ts'

/** A plan whose phases name headings or files that the skill no longer has is only a guide. */
export function anchored(found: Found | undefined, sidecar: Sidecar, source: SkillSource): Found | undefined {
  const { phases } = sidecar.values
  if (found?.plan === undefined || !Array.isArray(phases)) return found
  const titles = titlesIn(source.blocks)
  const gone = phases.flatMap((phase, index) =>
    goneFrom(fieldsOf(phase), source, titles).map((what) => ({ what, index })),
  )
  if (gone.length === 0) return found
  const diagnostics = gone.map(({ what, index }): Diagnostic =>
    diagnose('HF120', placeIn(sidecar, `phases/${index}`, 'phases'), `${source.main.file} has no ${what}.`),
  )
  return {
    ...found,
    plan: { ...found.plan, explicit: false, unfit: true },
    diagnostics: [...found.diagnostics, ...diagnostics],
  }
}

function goneFrom(
  { heading, file }: Readonly<Record<string, unknown>>,
  source: SkillSource,
  titles: Titles,
): readonly string[] {
  return [
    ...(typeof heading === 'string' && !hasTitle(titles, heading)
      ? [`heading or list item ${JSON.stringify(heading)}`]
      : []),
    ...(typeof file === 'string' && !source.files.has(file) ? [`file ${file}`] : []),
  ]
}

/** What the lines of a skill are called; read once, because a skill may have very many lines. */
interface Titles {
  /** A heading is called by all of its words; other lines also by their bold beginning. */
  readonly whole: ReadonlySet<string>
  /** Other lines are also called by their first words. */
  readonly lines: readonly string[]
}

function titlesIn(blocks: readonly Block[]): Titles {
  const texts = blocks.filter((block) => block.kind !== 'fence')
  const others = texts.filter(({ kind }) => kind !== 'heading')
  const lines = [...new Set(others.map((block) => wordsOf(firstLine(block))))]
  const headings = texts.filter(({ kind }) => kind === 'heading').map((block) => wordsOf(firstLine(block)))
  const bold = others.map((block) => wordsOf(boldStart(block) ?? ''))
  return { whole: new Set([...headings, ...bold, ...lines]), lines }
}

/** Shorter words are the beginning of too many lines. */
const SHORTEST_START = 12

function hasTitle({ whole, lines }: Titles, title: string): boolean {
  const wanted = wordsOf(title)
  if (wanted === '' || whole.has(wanted)) return wanted !== ''
  return wanted.length >= SHORTEST_START && lines.some((line) => line.startsWith(wanted))
}

const firstLine = ({ text }: Exclude<Block, { kind: 'fence' }>): string => text.split('\n')[0] ?? ''

/** The bold words at the start of a line, unless they are only a number. */
function boldStart(block: Exclude<Block, { kind: 'fence' }>): string | undefined {
  if (block.kind === 'heading') return undefined
  const bold = /^\W{0,10}\*\*([^*]+)\*\*/.exec(firstLine(block))?.[1]
  return bold === undefined || wordsOf(bold) === '' ? undefined : bold
}

/** The words by which an overlay calls a line of a skill. */
export const titleOf = (block: Block): string =>
  block.kind === 'fence' ? '' : shortTitle(boldStart(block) ?? firstLine(block))

const LONGEST_TITLE = 80

/** A title without markup, cut at a word. */
export function shortTitle(text: string): string {
  const plain = withoutMarkup(text.slice(0, LONGEST_LINE)).replaceAll(/\s+/g, ' ').trim()
  return plain.length <= LONGEST_TITLE ? plain : plain.slice(0, LONGEST_TITLE).replace(/\s+\S*$/, '')
}

/** Nobody names a line by more than its beginning. */
const LONGEST_LINE = 1000

const withoutMarkup = (text: string): string => withoutLinks(text).replaceAll(/[*`]/g, '')

/** The words of a title without number, markup and case, so that small edits of a skill do not matter. */
function wordsOf(title: string): string {
  const text = title.slice(0, LONGEST_LINE)
  return withoutMarkup(entryOf(text)?.title ?? text)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
