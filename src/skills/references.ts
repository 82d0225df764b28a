import type { SkillSource } from './notations/frontend.ts'
import { type Fence, lastLineOf } from './text/markdown.ts'

export interface SkillReference {
  readonly name: string
  readonly line: number
}

/** Matches a slash and a name where a command can be, but not a path, a closing tag or "and/or". */
const REFERENCE =
  /(?<=^|[\s"'`([{])\/([a-z0-9][a-z0-9_-]{0,63}(?::[a-z0-9][a-z0-9_-]{0,63})?)(?![\w/>:.-]*[/>]|\w)/g

/** The `/name` references of a text outside of code fences; the caller checks whether they exist. */
export const findSkillReferences = (source: Body): readonly SkillReference[] =>
  linesOutside(source, '/').flatMap(({ text, line }) =>
    [...text.matchAll(REFERENCE)].map(([, name = '']) => ({ name, line })),
  )

type Body = Pick<SkillSource, 'main' | 'frontmatter' | 'blocks'>

/** Longer lines are not written by hand, so they are skipped. */
const LONGEST_LINE = 20_000

/** The lines of a body outside of code that contain a string; the cheap string check comes first. */
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
  const fences = blocks.filter((block) => block.kind === 'fence')
  let [at, end] = [0, endOf(fences[0])]
  return lines.filter(({ line }) => {
    while (end < line) end = endOf(fences[++at])
    return line < (fences[at]?.line ?? Infinity)
  })
}

/** The last line of a fence; none has no end. */
export const endOf = (fence: Fence | undefined): number =>
  fence === undefined ? Infinity : lastLineOf(fence)
