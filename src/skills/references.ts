import type { SkillSource } from './notations/frontend.ts'

export interface Reference {
  readonly name: string
  readonly line: number
}

/** A slash and a name at a place where a command can stand; never a path, a closing tag or "and/or". */
const REFERENCE =
  /(?<=^|[\s"'`([{])\/([a-z0-9][a-z0-9_-]{0,63}(?::[a-z0-9][a-z0-9_-]{0,63})?)(?![\w/>:.-]*[/>]|\w)/g

/** What the text calls by `/name`, outside of code fences; whether it exists is for the registry to say. */
export const findReferences = (source: Body): readonly Reference[] =>
  linesOutside(source, '/').flatMap(({ text, line }) =>
    [...text.matchAll(REFERENCE)].map(([, name = '']) => ({ name, line })),
  )

type Body = Pick<SkillSource, 'main' | 'frontmatter' | 'blocks'>

/** No line that a person wrote is longer. */
const LONGEST_LINE = 20_000

/** The lines of a body that are not code and hold some characters; most hold few that matter, so that is asked first. */
export function linesOutside(
  { main, frontmatter, blocks }: Body,
  holding: string,
): readonly { readonly text: string; readonly line: number }[] {
  const lines: { text: string; line: number }[] = []
  for (let index = frontmatter.bodyLine; index < main.lines.length; index++) {
    const text = main.lines[index] ?? ''
    if (text.length <= LONGEST_LINE && text.includes(holding)) lines.push({ text, line: index + 1 })
  }
  if (lines.length === 0) return lines
  const fenced = new Set<number>()
  for (const block of blocks) {
    if (block.kind !== 'fence') continue
    const length = block.content.split('\n').length
    for (let line = block.line; line <= block.line + length; line++) fenced.add(line)
  }
  return lines.filter(({ line }) => !fenced.has(line))
}
