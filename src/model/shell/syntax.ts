import { type ParsedScript, parse } from 'unbash'
import { type Cost, costOf } from './cost.ts'

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
const DEEPEST = 200

/** The syntax of a command; nothing where parsing it could take longer than its length justifies. */
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

/** A private character that nobody types begins the line in place of a document. */
const MARK = '\u{E000}'

/**
 * Agents write files by long documents of code, which need no parsing. This only guesses where a document is, so
 * whoever walks through the syntax must meet each of them as one.
 */
function withoutDocuments(
  command: string,
  places: Cost['documents'],
): { readonly text: string } & Pick<Syntax, 'documents'> {
  // A mark that is not ours leaves nothing to be sure of.
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
