/** An estimate of the cost of parsing a command. */
export interface Cost {
  /** How often the parser may scan ahead to the end of the text. */
  readonly openings: number
  /** The nesting depth of substitutions and groups. */
  readonly depth: number
  /** The ranges of here-document bodies that are plain text. */
  readonly documents: readonly (readonly [begin: number, end: number])[]
}

interface Pending {
  readonly delimiter: string
  readonly isPlain: boolean
  readonly hasTabs: boolean
}

const OPENING = /\{|\$\[|<</g
/** Openings inside double quotes or here-documents. */
const OPENING_IN_TEXT = /\$\[/g
/** Tokens outside quotes; plain text is matched as a whole and costs nothing. */
const TOKEN =
  /\\[^]|'[^']*'|\$'(?:\\[^]|[^'\\])*'|\$?"(?:[^"\\$`]|\\[^])*"|(?<![^\s;&|(])#[^\n]*|<<<|<<(-?)[ \t]*(?:'([^'\n]+)'|"([^"\\$`\n]+)"|\\?([\w.-]+))|\$\{[#!]?\w+(?:\[[\w@*]*\])?\}|\$?\(\(|\$\[|\$\{|<<|\n|\bcase\b|[{()"'`]/g
const TOKEN_IN_TEXT = /\\[^]|\$\{[#!]?\w+(?:\[[\w@*]*\])?\}|\$\(\(|\$\[|\$\{|\$\(|["`]/g

/** Scans a command once; after a construct that it cannot scan, the whole rest counts. */
export function costOf(text: string): Cost {
  const documents: [number, number][] = []
  const pending: Pending[] = []
  /** For each open parenthesis, whether it is inside double quotes. */
  const open: boolean[] = []
  let [openings, depth, at, isText] = [0, 0, 0, false]
  const withRest = (from: number): Cost => ({
    openings: openings + count(text.slice(from), OPENING),
    depth: Math.max(depth, open.length + deepest(text.slice(from))),
    documents,
  })
  for (;;) {
    const pattern = isText ? TOKEN_IN_TEXT : TOKEN
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found === null) return isText ? withRest(at) : { openings, depth, documents }
    const [token, tabs, single, double, bare] = found
    at = found.index + token.length
    const delimiter = single ?? double ?? bare
    if (HARD.has(token) && (token !== 'case' || open.length > 0)) return withRest(found.index)
    if (token === '"') isText = !isText
    else if (token === '{' || token === '$[') openings++
    else if (token === '(' || token === '$(') {
      open.push(isText)
      depth = Math.max(depth, open.length)
      isText = false
    } else if (token === ')') isText = open.pop() ?? false
    else if (delimiter !== undefined) {
      openings++
      const isPlain = single !== undefined || double !== undefined || token.includes('\\')
      pending.push({ delimiter, isPlain, hasTabs: tabs === '-' })
    } else if (token === '\n') {
      for (const one of pending.splice(0)) {
        const end = endOf(text, at, one)
        if (end === undefined) return withRest(at)
        const body = text.slice(at, end)
        if (one.isPlain || !/[$`\\]/.test(body)) documents.push([at, end])
        else if (/\$\(|`/.test(body)) openings += count(body, OPENING)
        else openings += count(body, OPENING_IN_TEXT)
        const next = text.indexOf('\n', end)
        at = next === -1 ? text.length : next + 1
      }
    }
  }
}

/** Constructs with their own syntax, which this scan does not follow. */
const HARD: ReadonlySet<string> = new Set(["'", '`', '((', '$((', '${', '<<', 'case'])

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

function deepest(text: string): number {
  let [depth, most] = [0, 0]
  for (const [token] of text.matchAll(/[()`]|\$\{/g)) {
    depth = token === ')' ? Math.max(0, depth - 1) : depth + (token === '`' ? 0 : 1)
    most = Math.max(most, depth)
  }
  return most
}

/** The offset of the line that ends a here-document. */
function endOf(text: string, begin: number, { delimiter, hasTabs }: Pending): number | undefined {
  for (let at = begin; at <= text.length;) {
    const next = text.indexOf('\n', at)
    const line = text.slice(at, next === -1 ? undefined : next)
    if ((hasTabs ? line.replace(/^\t+/, '') : line) === delimiter) return at
    if (next === -1) return undefined
    at = next + 1
  }
  return undefined
}
