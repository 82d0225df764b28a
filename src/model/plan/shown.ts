/** One non-blank line of the body of a step file. */
export interface BodyLine {
  /** Counted from 1, as clients count the lines of a file. */
  readonly at: number
  readonly text: string
}

/** How much of the body of a step file a scope has seen. */
export interface Seen {
  /** Of the body; lines of another version do not add up. */
  readonly digest: string
  /** How many lines the body has. */
  readonly total: number
  /** The lines that were not shown yet, in order. */
  readonly missing: readonly number[]
  /** Set if only a sub-agent was shown the step, and how many lines. */
  readonly bySubagent?: number
}

/** Some tools cut long lines, so only the beginning is compared. */
const LONGEST_LINE = 300

const comparable = (line: string): string => line.trim().slice(0, LONGEST_LINE)

/** The non-blank lines of a step file, without its frontmatter. */
export function bodyOf(text: string): readonly BodyLine[] {
  const lines = text.split('\n')
  const first = lines.findIndex((line) => line.trim() !== '')
  const close = isRule(lines[first]) ? lines.findIndex((line, index) => index > first && isEnd(line)) : -1
  return lines.flatMap((line, index) =>
    index <= close || line.trim() === '' ? [] : [{ at: index + 1, text: comparable(line) }],
  )
}

const isRule = (line: string | undefined): boolean => /^---\s*$/.test(line ?? '')
const isEnd = (line: string): boolean => isRule(line) || /^\.\.\.\s*$/.test(line)

/** The names and numbers that tools put before a line: `12→`, `12:`, `12-`, `12` and a tab, `a.md:12:`, `a.md-`. */
const FILE = /^\S*\.md[:-]/i
const NUMBER = /^\s*\d+(?:\t| *[→│|:-])/

/** The body lines that a text shows. */
export function linesShown(body: readonly BodyLine[], text: string): readonly number[] {
  const shown = new Set<string>()
  for (const line of text.split('\n')) {
    const bare = line.replace(FILE, '')
    for (const form of [line, bare, bare.replace(NUMBER, '')]) shown.add(comparable(form))
  }
  return body.filter((line) => shown.has(line.text)).map(({ at }) => at)
}

/** What is seen of a body once these lines were shown. */
export const seenOf = (
  { digest, lines }: { readonly digest: string; readonly lines: readonly BodyLine[] },
  shown: readonly number[],
): Seen => {
  const known = new Set(shown)
  return {
    digest,
    total: lines.length,
    missing: lines.map(({ at }) => at).filter((at) => !known.has(at)),
  }
}

/** Adds up what two answers showed of the same text; a changed text starts anew. */
export function addSeen(before: Seen | undefined, now: Seen): Seen {
  if (before?.digest !== now.digest) return now
  const missing = new Set(before.missing)
  return { ...now, missing: now.missing.filter((at) => missing.has(at)) }
}

/** How many lines were shown. */
export const shownOf = ({ total, missing }: Seen): number => total - missing.length
