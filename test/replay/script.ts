/** A line in the transcript of a client. */
export type Line =
  | { readonly kind: 'text'; readonly role: 'user' | 'assistant' | 'system'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly tool: string; readonly input: string }
  | { readonly kind: 'result'; readonly id: string; readonly outcome: string }

interface Written {
  readonly line: Line
  readonly at: number
  isKnown: boolean
}

/** The transcript of one client, and the messages that its windows must keep: from hooks, or from the transcript. */
export class Script {
  readonly #lines: Written[] = []
  readonly #pages: string[][] = []
  /** The number of lines at the last reading, if any. */
  #mark: number | undefined

  open(): void {
    this.#pages.push([])
  }

  /** Reported by a hook; the text of a result differs from the transcript. */
  tell(line: Line, at: number, outcome?: string): void {
    this.#write(line, at, true)
    const told = line.kind === 'result' ? { ...line, outcome: outcome ?? line.outcome } : line
    this.#pages.at(-1)?.push(...this.#worded({ line: told, at }, 0))
  }

  /** Written, but not reported. */
  write(line: Line, at: number): void {
    this.#write(line, at, false)
  }

  /** The newest window gets the lines that were not reported since the last reading; the first one only counts. */
  read(): void {
    const mark = this.#mark ?? this.#lines.length
    this.#mark = this.#lines.length
    for (const written of this.#lines.slice(mark).filter(({ isKnown }) => !isKnown)) {
      written.isKnown = true
      this.#pages.at(-1)?.push(...this.#worded(written, mark))
    }
  }

  get messages(): readonly string[] {
    const timeOf = (message: string) => message.slice(0, message.indexOf(' '))
    return this.#pages.flatMap((page, window) =>
      page.toSorted((a, b) => timeOf(a).localeCompare(timeOf(b))).map((message) => `${window} ${message}`),
    )
  }

  #write(line: Line, at: number, isKnown: boolean): void {
    this.#lines.push({ line, at, isKnown })
  }

  /** A call is added with its result, if that was written after the mark. */
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
