/** A line that a client writes to its own transcript. */
export type Line =
  | { readonly kind: 'text'; readonly role: 'user' | 'assistant' | 'system'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly tool: string; readonly input: string }
  | { readonly kind: 'result'; readonly id: string; readonly outcome: string }

interface Written {
  readonly line: Line
  readonly at: number
  isKnown: boolean
}

interface Page {
  readonly messages: string[]
  /** How many lines there were at the last end of a turn, once one was told. */
  mark: number | undefined
}

/** What one client wrote, and which messages its windows must keep of it: told by hooks, else found at a resume. */
export class Script {
  readonly #lines: Written[] = []
  readonly #pages: Page[] = []

  open(): void {
    this.#pages.push({ messages: [], mark: undefined })
  }

  /** A turn ends: what is written from now on is new. */
  mark(): void {
    const page = this.#pages.at(-1)
    if (page !== undefined) page.mark = this.#lines.length
  }

  /** Told by a hook; a result is worded as the hook tells it, which is not as it is written. */
  tell(line: Line, at: number, outcome?: string): void {
    this.#write(line, at, true)
    const told = line.kind === 'result' ? { ...line, outcome: outcome ?? line.outcome } : line
    this.#pages.at(-1)?.messages.push(...this.#worded({ line: told, at }, 0))
  }

  /** Written, and told by nobody. */
  write(line: Line, at: number): void {
    this.#write(line, at, false)
  }

  /** Whoever comes back brings what was not told since the last end of a turn. */
  resume(): void {
    const page = this.#pages.at(-1)
    if (page?.mark === undefined) return
    const { mark } = page
    for (const written of this.#lines.slice(mark).filter(({ isKnown }) => !isKnown)) {
      written.isKnown = true
      page.messages.push(...this.#worded(written, mark))
    }
    page.mark = this.#lines.length
  }

  get messages(): readonly string[] {
    return this.#pages.flatMap(({ messages }, window) => messages.map((message) => `${window} ${message}`))
  }

  #write(line: Line, at: number, isKnown: boolean): void {
    this.#lines.push({ line, at, isKnown })
  }

  /** A call is said with its result, as far as it was written behind the mark. */
  #worded({ line, at }: Pick<Written, 'line' | 'at'>, mark: number): readonly string[] {
    const time = new Date(at).toISOString()
    if (line.kind === 'call') return []
    if (line.kind === 'text')
      return line.text.trim() === '' ? [] : [`${time} ${line.role}: ${keepable(line.text.trim())}`]
    const call = this.#lines.findIndex(({ line: one }) => one.kind === 'call' && one.id === line.id)
    const begun = call >= mark ? this.#lines[call]?.line : undefined
    const { tool, input } = begun?.kind === 'call' ? begun : { tool: '', input: '' }
    return [`${time} tool ${tool} ${line.id}: ${input} → ${keepable(line.outcome)}`]
  }
}

/** No database keeps a NUL. */
export const keepable = (text: string): string => text.replaceAll('\0', '\u{fffd}')
