import { type ParsedScript, parse } from 'unbash'

/** A command as the shell would read it. */
export interface Syntax {
  readonly script: ParsedScript
  /** Here-documents that were too long to parse, by the line that stands in their place. */
  readonly documents: ReadonlyMap<string, string>
}

const NO_DOCUMENTS: Syntax['documents'] = new Map()
const LONGEST_COMMAND = 1 << 20
/** Linux takes no longer text as one argument. */
const LONGEST_TEXT = 128 * 1024
const MOST_WORK = 5_000_000

/** The syntax of a command; nothing where parsing it could take longer than its length justifies. */
export function syntaxOf(command: string): Syntax | undefined {
  if (command.length > LONGEST_COMMAND) return undefined
  const { text, documents } = isCheap(command)
    ? { text: command, documents: NO_DOCUMENTS }
    : withoutDocuments(command)
  return isCheap(text) ? { script: parse(text), documents } : undefined
}

/** At each of these openings the parser may look ahead to the end of the text. */
const LOOKS_AHEAD = /\{|\$\[|<</g

const isCheap = (text: string): boolean =>
  text.length <= LONGEST_TEXT && (text.match(LOOKS_AHEAD)?.length ?? 0) * text.length <= MOST_WORK

/** Only a quoted delimiter makes the whole document plain text. */
const OPENING = /<<[ \t]*(?:'([^']+)'|"([^"\\$`]+)"|\\(\w+))/
/** A private character that nobody types begins the line in place of a document. */
const MARK = '\u{E000}'

/**
 * Agents write files by long documents of code, which need no parsing. This only guesses where a document is, so
 * whoever walks through the syntax must meet each of them as one.
 */
function withoutDocuments(command: string): { readonly text: string } & Pick<Syntax, 'documents'> {
  const lines = command.split('\n')
  const documents = new Map<string, string>()
  const kept: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    kept.push(line)
    const delimiter = delimiterIn(line)
    if (delimiter === undefined) continue
    const end = lines.indexOf(delimiter, at + 1)
    // A document without an end, and a mark that is not ours, leave nothing to be sure of.
    if (end === -1 || command.includes(MARK)) return { text: command, documents: NO_DOCUMENTS }
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
