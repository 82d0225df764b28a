import { visit } from 'jsonc-parser'

/** A comma or a comment in a JSON text; a line comment extends to the line end. */
export interface Mark {
  readonly kind: 'comma' | 'line' | 'block'
  readonly start: number
  readonly end: number
}

type Range = Pick<Mark, 'start' | 'end'>

/** All commas and comments, in order. */
export function marksOf(text: string): readonly Mark[] {
  const marks: Mark[] = []
  visit(
    text,
    {
      onComment: (start, length) =>
        marks.push({ kind: text.startsWith('//', start) ? 'line' : 'block', start, end: start + length }),
      onSeparator: (character, start, length) => {
        if (character === ',') marks.push({ kind: 'comma', start, end: start + length })
      },
    },
    { allowTrailingComma: true },
  )
  return marks
}

const within = (marks: readonly Mark[], { start, end }: Range): readonly Mark[] =>
  marks.filter((mark) => mark.start >= start && mark.end <= end)

export const hasComments = (marks: readonly Mark[], range: Range): boolean =>
  within(marks, range).some(({ kind }) => kind !== 'comma')

/** The comma between two offsets, if there is one. */
export const commaAfter = (marks: readonly Mark[], start: number, end: number): Mark | undefined =>
  within(marks, { start, end }).find(({ kind }) => kind === 'comma')

/** The end of the last comma or comment between two offsets, or `start`. */
export const endBefore = (marks: readonly Mark[], end: number, start: number): number =>
  within(marks, { start, end }).at(-1)?.end ?? start

/** The end of the comments that follow on the same line, and whether a line comment ends them. */
export function restOfLine(
  text: string,
  marks: readonly Mark[],
  from: number,
): { readonly end: number; readonly isLine: boolean } {
  const next = marks.find(({ start }) => start >= from)
  const isNear = next !== undefined && /^[ \t]*$/.test(text.slice(from, next.start))
  if (!isNear || next.kind === 'comma') return { end: from, isLine: false }
  return next.kind === 'line' ? { end: next.end, isLine: true } : restOfLine(text, marks, next.end)
}

/** The text as strict JSON, without comments and trailing commas. */
export function withoutMarks(text: string): string {
  const marks = marksOf(text)
  const unwanted = marks.flatMap((mark) => {
    if (mark.kind !== 'comma') return [withBlanks(text, mark)]
    const next = skipped(text, marks, mark.end)
    return '}]'.includes(text[next] ?? ' ') ? [mark] : []
  })
  return unwanted.toReversed().reduce((less, { start, end }) => less.slice(0, start) + less.slice(end), text)
}

/** The offset after white space and comments. */
function skipped(text: string, marks: readonly Mark[], from: number): number {
  const at = from + (/^\s*/.exec(text.slice(from))?.[0].length ?? 0)
  const comment = marks.find(({ start, kind }) => start === at && kind !== 'comma')
  return comment === undefined ? at : skipped(text, marks, comment.end)
}

/** A comment with the blanks before it, or its whole line if nothing else is on it. */
function withBlanks(text: string, { start, end }: Mark): Range {
  const before = /(?:\r?\n)?[ \t]*$/.exec(text.slice(0, start))?.[0] ?? ''
  const isAlone = before.includes('\n') && /^[ \t]*(?:\r?\n|$)/.test(text.slice(end))
  return { start: start - (isAlone ? before.length : before.replace(/^\r?\n/, '').length), end }
}
