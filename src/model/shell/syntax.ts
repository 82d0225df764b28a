import { type ParsedScript, parse } from 'unbash'

/** A command as the shell would read it. */
export interface Syntax {
  readonly script: ParsedScript
  /** Here-documents that were too long to parse, by the line that stands in their place. */
  readonly documents: ReadonlyMap<string, string>
}

/** A command that no system runs: most take 128 KB as one argument, macOS one megabyte for all. */
const LONGEST_COMMAND = 1 << 20
const LONGEST_TEXT = 128 * 1024
const MOST_WORK = 5_000_000

/** The syntax of a command; nothing where parsing could take longer than its length allows. */
export function syntaxOf(command: string): Syntax | undefined {
  if (command.length > LONGEST_COMMAND) return undefined
  const { text, documents } = isCheap(command)
    ? { text: command, documents: new Map<string, string>() }
    : withoutDocuments(command)
  return isCheap(text) ? { script: parse(text), documents } : undefined
}

/** For each of these openings the parser may look ahead to the end of the text. */
const LOOKS_AHEAD = /\{|\$\[/g

const isCheap = (text: string): boolean =>
  text.length <= LONGEST_TEXT && (text.match(LOOKS_AHEAD)?.length ?? 0) * text.length <= MOST_WORK

/** Only a quoted delimiter makes the whole document plain text. */
const OPENING = /<<[ \t]*(?:'([^']+)'|"([^"\\$`]+)"|\\(\w+))/
/** A private character that nobody types, so that the line in place of a document is known again. */
const MARK = '\u{E000}'

/** Files are written by long documents of code. Whoever walks the syntax must find each of them as a document. */
function withoutDocuments(command: string) {
  const lines = command.split('\n')
  const documents = new Map<string, string>()
  const kept: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    kept.push(line)
    const delimiter = delimiterIn(line)
    const end = delimiter === undefined ? -1 : lines.indexOf(delimiter, at + 1)
    // A document without an end goes on to the end of the text.
    if (delimiter !== undefined && end === -1) return { text: command, documents: new Map<string, string>() }
    if (end <= at + 1 || command.includes(MARK)) continue
    const mark = `${MARK}${documents.size}`
    documents.set(mark, lines.slice(at + 1, end).join('\n'))
    kept.push(mark)
    at = end - 1
  }
  return { text: kept.join('\n'), documents }
}

/** The delimiter of the only document that a line announces. */
function delimiterIn(line: string): string | undefined {
  if (line.indexOf('<<') !== line.lastIndexOf('<<')) return undefined
  const [, single, double, escaped] = OPENING.exec(line) ?? []
  return single ?? double ?? escaped
}
