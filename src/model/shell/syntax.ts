import { type ParsedScript, parse } from 'unbash'
import { type Cost, costOf } from './cost.ts'

/** A parsed command. */
export interface Syntax {
  readonly script: ParsedScript
  /** Here-documents that are too long to parse, by their placeholder line. */
  readonly documents: ReadonlyMap<string, string>
}

const NO_DOCUMENTS: Syntax['documents'] = new Map()
const LONGEST_COMMAND = 1 << 20
/** The longest single argument on Linux. */
const LONGEST_TEXT = 128 * 1024
const MOST_WORK = 5_000_000
const DEEPEST = 200

/** Parses a command; undefined if that could take too long for its length. */
export function syntaxOf(typed: string): Syntax | undefined {
  if (typed.length > LONGEST_COMMAND) return undefined
  const command = typed.replaceAll('\r\n', '\n')
  const cost = costOf(command)
  const { text, documents } =
    command.length <= LONGEST_TEXT
      ? { text: command, documents: NO_DOCUMENTS }
      : withoutDocuments(command, cost.documents)
  const isCheap =
    text.length <= LONGEST_TEXT && cost.openings * text.length <= MOST_WORK && cost.depth <= DEEPEST
  return isCheap ? { script: parse(text), documents } : undefined
}

/** A private-use character that starts each placeholder line. */
const MARK = '\u{E000}'

/** Replaces long here-documents by placeholders; the caller checks that each one was a document. */
function withoutDocuments(
  command: string,
  places: Cost['documents'],
): { readonly text: string } & Pick<Syntax, 'documents'> {
  // A text that already contains the mark would be ambiguous.
  if (command.includes(MARK)) return { text: command, documents: NO_DOCUMENTS }
  const documents = new Map<string, string>()
  const kept: string[] = []
  let at = 0
  for (const [begin, end] of places) {
    const mark = `${MARK}${documents.size}`
    documents.set(mark, command.slice(begin, end).replace(/\n$/, ''))
    kept.push(command.slice(at, begin), `${mark}\n`)
    at = end
  }
  return { text: [...kept, command.slice(at)].join(''), documents }
}
