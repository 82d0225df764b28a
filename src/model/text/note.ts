import { oneLine } from './line.ts'
import { linesOfText } from './prose.ts'

const MARK = /^[\s>*+#/-]*(?:\d+[.)]\s*)?(?:\[ \]\s*)?[*_`]*(TODO|FIXME|Follow-?up|Note|Open questions?)\b/i
/** TODO and FIXME need no colon; everyday words do. */
const REST = {
  loud: /^[*_`]*(?:\([^)]*\)[*_`]*)?(?::[*_`]*)?\s+\S/,
  quiet: /^[*_`]*(?:\([^)]*\)[*_`]*)?:[*_`]*\s*\S/,
} as const

const MOST_NOTES = 20
const LONGEST_NOTE = 500

/** Lines marked as notes for later, each once, in order, outside of code. */
export function notesIn(texts: readonly string[]): readonly string[] {
  const notes = texts.flatMap((text) => proseLines(text).filter(isNote))
  return [...new Set(notes.map((line) => oneLine(bare(line), LONGEST_NOTE)))].slice(0, MOST_NOTES)
}

function isNote(line: string): boolean {
  const found = MARK.exec(line)
  if (found === null) return false
  const [whole, mark = ''] = found
  return (mark === 'TODO' || mark === 'FIXME' ? REST.loud : REST.quiet).test(line.slice(whole.length))
}

const bare = (line: string): string => line.replace(/^[\s>*+#/-]+/, '').trim()

const proseLines = (text: string): readonly string[] =>
  [...linesOfText(text.replaceAll(/\r\n?/g, '\n'))].flatMap((line) => (line.isCode ? [] : line.text))
