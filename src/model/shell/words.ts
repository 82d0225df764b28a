/** A part of a word, as far as it can be known without running anything. */
export type WordPart =
  | { readonly kind: 'text'; readonly text: string; readonly quoted: boolean }
  | { readonly kind: 'variable'; readonly name: string; readonly quoted: boolean }
  /** The output of other commands, or the file that it can be read from. */
  | { readonly kind: 'output'; readonly tokens: readonly ShellToken[]; readonly isFile: boolean }
  | { readonly kind: 'unknown' }

export type ShellToken =
  | { readonly kind: 'word'; readonly parts: readonly WordPart[] }
  | { readonly kind: 'operator'; readonly text: string }
  /** The text of a here-document, and what of it still runs. */
  | { readonly kind: 'document'; readonly text: string; readonly parts: readonly WordPart[] }

/** The words and operators of a shell command, in one pass. Whatever is given, tokens come out. */
export const shellTokens = (command: string): readonly ShellToken[] => new Scanner(command, 0).tokens()

const UNKNOWN: WordPart = { kind: 'unknown' }
/** Deeper substitutions are read as plain text, so that no input can exhaust the stack. */
const DEEPEST = 30

const OPERATOR = /\n|&&|\|\||\|&|;;&?|;&|&>>?|<<<|<<-?|<&|<>|>&|>>|>\||[;&|()<>]/y
const PLAIN = /[^ \t\r\n;&|()<>'"\\$`]+/y
const PLAIN_IN_QUOTES = /[^"\\$`]+/y
const PLAIN_IN_DOCUMENT = /[^\\$`]+/y
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y
const SPECIAL = '0123456789@*#?$!-'
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

interface HereDocument {
  readonly end: string
  readonly isLiteral: boolean
  readonly isIndented: boolean
}

class Scanner {
  readonly #text: string
  #depth: number
  #at = 0
  #documents: HereDocument[] = []

  constructor(text: string, depth: number) {
    this.#text = text
    this.#depth = depth
  }

  /** All tokens up to the end, or up to the parenthesis that closes a substitution. */
  tokens(isNested = false): readonly ShellToken[] {
    const tokens: ShellToken[] = []
    let open = 0
    while (this.#at < this.#text.length) {
      if (this.#skipBlanks()) continue
      if (this.#take('<(') || this.#take('>(')) {
        tokens.push({ kind: 'word', parts: [this.#output(true)] })
        continue
      }
      if (this.#take('((')) {
        this.#skipNested('(', ')', 2)
        continue
      }
      const operator = this.#match(OPERATOR)
      if (operator === undefined) {
        const isDescriptor = this.#isDescriptor()
        const parts = this.#word()
        if (!isDescriptor) tokens.push({ kind: 'word', parts })
        continue
      }
      if (operator === '(') open++
      if (operator === ')' && open-- === 0 && isNested) return tokens
      if (operator.startsWith('<<') && operator !== '<<<') this.#expectDocument(operator === '<<-')
      else tokens.push({ kind: 'operator', text: operator })
      if (operator === '\n') tokens.push(...this.#takeDocuments())
    }
    return tokens
  }

  /** The parts of a text in which only `$`, backticks and backslashes mean something. */
  document(): readonly WordPart[] {
    const parts: WordPart[] = []
    while (this.#at < this.#text.length) this.#quotedPart(parts, PLAIN_IN_DOCUMENT)
    return parts
  }

  #word(): readonly WordPart[] {
    const parts: WordPart[] = []
    for (;;) {
      const plain = this.#match(PLAIN)
      const char = this.#text[this.#at]
      if (plain !== undefined) addText(parts, plain, false)
      else if (this.#take('\\\n')) continue
      else if (char === '\\') addText(parts, this.#escaped(), true)
      else if (this.#take("'")) addText(parts, this.#until("'"), true)
      else if (this.#take('"') || this.#take('$"')) this.#doubleQuoted(parts)
      else if (this.#take("$'")) addText(parts, this.#ansiQuoted(), true)
      else if (char === '$') parts.push(this.#dollar(false))
      else if (this.#take('`')) parts.push(this.#backticks())
      else return parts
    }
  }

  #doubleQuoted(parts: WordPart[]): void {
    addText(parts, '', true)
    while (this.#at < this.#text.length && !this.#take('"')) this.#quotedPart(parts, PLAIN_IN_QUOTES)
  }

  #quotedPart(parts: WordPart[], plainText: RegExp): void {
    const plain = this.#match(plainText)
    if (plain !== undefined) addText(parts, plain, true)
    else if (this.#take('\\\n')) return
    else if (this.#take('`')) parts.push(this.#backticks())
    else if (this.#text[this.#at] === '$') parts.push(this.#dollar(true))
    else
      addText(parts, '$`"\\'.includes(this.#text[this.#at + 1] ?? ' ') ? this.#escaped() : this.#char(), true)
  }

  #dollar(quoted: boolean): WordPart {
    if (this.#take('$((')) return this.#skipNested('(', ')', 2)
    if (this.#take('$(')) return this.#output()
    this.#at++
    if (this.#take('{')) {
      const name = this.#match(NAME)
      if (name !== undefined && this.#take('}')) return { kind: 'variable', name, quoted }
      return this.#skipNested('{', '}', 1)
    }
    const name = this.#match(NAME)
    if (name !== undefined) return { kind: 'variable', name, quoted }
    const special = this.#text[this.#at] ?? ' '
    if (!SPECIAL.includes(special)) return { kind: 'text', text: '$', quoted: true }
    this.#at++
    return { kind: 'variable', name: special, quoted }
  }

  #output(isFile = false): WordPart {
    if (this.#depth >= DEEPEST) return UNKNOWN
    this.#depth++
    const tokens = this.tokens(true)
    this.#depth--
    return { kind: 'output', tokens, isFile }
  }

  #backticks(): WordPart {
    const inner: string[] = []
    while (this.#at < this.#text.length && !this.#take('`'))
      inner.push(
        '`$\\'.includes(this.#text[this.#at + 1] ?? ' ') && this.#text[this.#at] === '\\'
          ? this.#escaped()
          : this.#char(),
      )
    if (this.#depth >= DEEPEST) return UNKNOWN
    const tokens = new Scanner(inner.join(''), this.#depth + 1).tokens()
    return { kind: 'output', tokens, isFile: false }
  }

  #ansiQuoted(): string {
    const text: string[] = []
    while (this.#at < this.#text.length && !this.#take("'")) {
      const isEscape = this.#text[this.#at] === '\\'
      const char = isEscape ? this.#escaped() : this.#char()
      text.push(isEscape ? (ESCAPES[char] ?? char) : char)
    }
    return text.join('')
  }

  #expectDocument(isIndented: boolean): void {
    while (this.#take(' ') || this.#take('\t'));
    const parts = this.#word()
    const end = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
    const isLiteral = parts.some((part) => part.kind === 'text' && part.quoted)
    this.#documents.push({ end, isLiteral, isIndented })
  }

  #takeDocuments(): readonly ShellToken[] {
    const documents = this.#documents
    this.#documents = []
    return documents.map(({ end, isLiteral, isIndented }): ShellToken => {
      const lines: string[] = []
      while (this.#at < this.#text.length) {
        const line = this.#until('\n')
        if ((isIndented ? line.replace(/^\t+/, '') : line) === end) break
        lines.push(line)
      }
      const text = lines.join('\n')
      const isPlain = isLiteral || this.#depth >= DEEPEST
      const parts = isPlain ? [] : new Scanner(text, this.#depth + 1).document()
      return { kind: 'document', text, parts }
    })
  }

  /** Blanks, joined lines, and comments, which only begin where a word could. */
  #skipBlanks(): boolean {
    const before = this.#at
    while (this.#take(' ') || this.#take('\t') || this.#take('\r') || this.#take('\\\n'));
    if (this.#text[this.#at] === '#') {
      const end = this.#text.indexOf('\n', this.#at)
      this.#at = end === -1 ? this.#text.length : end
    }
    return this.#at > before
  }

  /** The number in `2>file` belongs to the redirection. */
  #isDescriptor(): boolean {
    let end = this.#at
    while (/[0-9]/.test(this.#text[end] ?? '')) end++
    return end > this.#at && /[<>]/.test(this.#text[end] ?? '')
  }

  /** Arithmetic and the forms of expansion that are not worked out. */
  #skipNested(opening: string, closing: string, depth: number): WordPart {
    let open = depth
    while (this.#at < this.#text.length && open > 0) {
      const char = this.#char()
      if (char === opening) open++
      if (char === closing) open--
    }
    return UNKNOWN
  }

  #until(end: string): string {
    const found = this.#text.indexOf(end, this.#at)
    const text = this.#text.slice(this.#at, found === -1 ? undefined : found)
    this.#at = found === -1 ? this.#text.length : found + end.length
    return text
  }

  /** What a backslash protects; at the very end it stands for itself. */
  #escaped(): string {
    this.#at++
    return this.#at < this.#text.length ? this.#char() : '\\'
  }

  #char(): string {
    return this.#text[this.#at++] ?? ''
  }

  #take(text: string): boolean {
    const isNext = this.#text.startsWith(text, this.#at)
    if (isNext) this.#at += text.length
    return isNext
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }
}

function addText(parts: WordPart[], text: string, quoted: boolean): void {
  parts.push({ kind: 'text', text, quoted })
}
