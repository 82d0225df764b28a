import type { Block } from './markdown.ts'
import type { SourceText } from './text.ts'

export interface Reference {
  readonly name: string
  readonly line: number
}

/** A slash and a name at a place where a command can stand; never a path, a closing tag or "and/or". */
const REFERENCE =
  /(?<=^|[\s"'`([{])\/([a-z0-9][a-z0-9_-]{0,63}(?::[a-z0-9][a-z0-9_-]{0,63})?)(?![\w/>:.-]*[/>]|\w)/g

/** What the text calls by `/name`, outside of code fences; whether it exists is for the registry to say. */
export function findReferences(
  source: SourceText,
  fromLine: number,
  blocks: readonly Block[],
): readonly Reference[] {
  return linesOutside(source, fromLine, blocks).flatMap(({ text, line }) =>
    text.includes('/') ? [...text.matchAll(REFERENCE)].map(([, name = '']) => ({ name, line })) : [],
  )
}

/** No line that a person wrote is longer. */
const LONGEST_LINE = 20_000

/** The lines of a body that are not code. */
export function linesOutside(
  source: SourceText,
  fromLine: number,
  blocks: readonly Block[],
): readonly { readonly text: string; readonly line: number }[] {
  const fenced = new Set<number>()
  for (const block of blocks) {
    if (block.kind !== 'fence') continue
    const lines = block.content.split('\n').length
    for (let line = block.line; line <= block.line + lines; line++) fenced.add(line)
  }
  return source.lines
    .map((text, index) => ({ text, line: index + 1 }))
    .filter(({ text, line }) => line > fromLine && !fenced.has(line) && text.length <= LONGEST_LINE)
}
