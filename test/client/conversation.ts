import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** One line of the client's stream-json output. */
export interface StreamEvent {
  readonly type: string
  readonly subtype?: string
  readonly session_id?: string
  readonly result?: string
  /** The line that an informational event shows. */
  readonly content?: string
  readonly is_error?: boolean
  /** What a hook printed. */
  readonly stdout?: string
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly events: readonly StreamEvent[]
  readonly stderr: string
  readonly sessionId: string
}

export interface Command {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Milliseconds until a hanging client is ended; the error shows its output. */
  readonly limit: number
}

/** One process of the client: its output so far, its input and its end. */
export class Conversation {
  readonly events: StreamEvent[] = []
  readonly ended: Promise<Ended>
  readonly #child: ChildProcess
  #stderr = ''
  #over = false
  #overdue = false
  #news = Promise.withResolvers<void>()

  constructor(command: Command) {
    // Detached, so that a hanging client ends with all processes it started.
    this.#child = spawn(command.program, command.args, { cwd: command.cwd, env: command.env, detached: true })
    const { promise, resolve, reject } = Promise.withResolvers<Ended>()
    const limit = setTimeout(() => {
      this.#overdue = true
      this.abandon()
    }, command.limit)
    this.#child.on('error', reject)
    this.#child.on('close', (code, signal) => {
      clearTimeout(limit)
      this.#over = true
      this.#tell()
      if (this.#overdue) reject(this.#failure(`ran for more than ${command.limit} ms and was ended`))
      const sessionId = this.events.find((event) => event.session_id !== undefined)?.session_id ?? ''
      resolve({ code, signal, events: this.events, stderr: this.#stderr, sessionId })
    })
    this.ended = promise
    promise.catch(() => undefined)
    this.#listen()
  }

  get pid(): number {
    return this.#child.pid ?? -1
  }

  /** Sends one prompt or slash command to a client that reads stream-json, and waits for its result. */
  async say(prompt: string): Promise<StreamEvent> {
    const from = this.events.length
    const message = { type: 'user', message: { role: 'user', content: prompt } }
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`)
    return this.until(({ type }) => type === 'result', from)
  }

  /** The first event of this kind, as soon as it arrives. */
  async until(matches: (event: StreamEvent) => boolean, from = 0): Promise<StreamEvent> {
    for (;;) {
      const found = this.events.slice(from).find(matches)
      if (found !== undefined) return found
      if (this.#over) throw this.#failure('ended before what was waited for')
      await this.#news.promise
    }
  }

  /** Ends the input; the client continues to its end. */
  end(): Promise<Ended> {
    this.#child.stdin?.end()
    return this.ended
  }

  /** Kills only the client, like a crash. */
  kill(signal: NodeJS.Signals): Promise<Ended> {
    this.#child.kill(signal)
    return this.ended
  }

  /** Kills the client and its processes, if it still runs. */
  abandon(): void {
    if (this.#over || this.#child.pid === undefined) return
    try {
      process.kill(-this.#child.pid, 'SIGKILL')
    } catch {
      // It has just ended by itself.
    }
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#child
    stdin?.on('error', () => undefined)
    stderr?.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text))
    if (stdout === null) return
    createInterface({ input: stdout }).on('line', (line) => {
      this.events.push(JSON.parse(line) as StreamEvent)
      this.#tell()
    })
  }

  #tell(): void {
    this.#news.resolve()
    this.#news = Promise.withResolvers()
  }

  #failure(what: string): Error {
    const last = this.events.slice(-5).map((event) => JSON.stringify(event).slice(0, 1000))
    return new Error(`The client ${what}.\nIts stderr: ${this.#stderr}\nIts last events:\n${last.join('\n')}`)
  }
}
