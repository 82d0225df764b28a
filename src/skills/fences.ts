import { type Diagnostic, diagnose } from '../model/diagnostic.ts'
import type { SkillSource } from './notations/frontend.ts'
import { type Block, readBlocks } from './text/markdown.ts'
import { entryOf } from './series/entry.ts'

const MOST_NAMED = 5

/** Finds unclosed fences, and the headings that they hide. */
export function openFences({
  main,
  frontmatter,
  blocks,
}: Pick<SkillSource, 'main' | 'frontmatter' | 'blocks'>): readonly Diagnostic[] {
  const open = blocks.filter((block) => block.kind === 'fence' && !block.closed)
  if (open.length === 0) return []
  const starts = new Set(open.map(({ line }) => line))
  const lines = main.lines.map((text, index) => (starts.has(index + 1) ? '' : text))
  const seen = new Set(headingLines(blocks))
  const hidden = readBlocks({ ...main, lines }, frontmatter.bodyLine, frontmatter.bodyEnd).filter(
    (block) => block.kind === 'heading' && !seen.has(block.line),
  )
  return open.map(({ line }, index) =>
    diagnose(
      'HF110',
      { file: main.file, line, column: 1 },
      `This code fence is never closed${hides(
        hidden.filter((block) => block.line > line && block.line < (open[index + 1]?.line ?? Infinity)),
      )}.`,
    ),
  )
}

const headingLines = (blocks: readonly Block[]): readonly number[] =>
  blocks.filter(({ kind }) => kind === 'heading').map(({ line }) => line)

function hides(hidden: readonly Block[]): string {
  if (hidden.length === 0) return ''
  const steps = hidden.flatMap((block) => {
    const entry = block.kind === 'heading' ? entryOf(block.text) : undefined
    return entry === undefined ? [] : [`${entry.word} ${entry.number}`.trim()]
  })
  const named = [...steps.slice(0, MOST_NAMED), ...(steps.length > MOST_NAMED ? ['more'] : [])]
  const count = hidden.length === 1 ? 'one heading' : `${hidden.length} headings`
  return `; it hides ${count}${steps.length === 0 ? '' : `, including ${named.join(', ')}`}`
}
