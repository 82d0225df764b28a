import type { NewMessage } from './transcript.ts'
import { textMessage } from './transcript.ts'

/** What one line of a client's transcript says. */
export type HistoryLine =
  | {
      readonly kind: 'said'
      readonly role: 'user' | 'assistant'
      readonly text: string
      readonly at: string
      /** The client's id of the line. */
      readonly id: string | undefined
      /** The session in which it was said; a fork has the lines of another one. */
      readonly origin: string | undefined
    }
  /** Work of the agent, notes of the client, and what nobody of the main thread said. */
  | { readonly kind: 'other' }
  /** Not what this version of the client writes, as far as we know. */
  | { readonly kind: 'unknown' }

/** The transcripts of earlier sessions of a client. Pure, and never throws: the format is the client's own. */
export interface ClientHistory {
  /** The folder that holds them, below the client's own folder. */
  readonly folder: string
  /** The session whose main thread a file tells, by its path below that folder. */
  sessionOf(path: string): string | undefined
  /** The folder that a line says its session works in. */
  cwdIn(line: string): string | undefined
  /** Reads one line. */
  read(line: string): HistoryLine
}

/** Where a line stands in its file, in bytes. */
export interface LineBytes {
  readonly from: number
  readonly to: number
}

/** Messages to store, and the end of what they tell. */
export interface Part {
  readonly messages: readonly NewMessage[]
  readonly to: number
}

/** Keeps of each turn what the user said and the last words of the agent; takes the lines of a transcript in order. */
export class Turns {
  #messages: NewMessage[] = []
  #answer: NewMessage | undefined
  /** Everything before it is in a message, or needs none. */
  #settled: number
  #read: number
  #chars = 0

  constructor(from: number) {
    this.#settled = from
    this.#read = from
  }

  /** The length of the texts that wait, and how many they are. */
  get chars(): number {
    return this.#chars
  }

  get count(): number {
    return this.#messages.length
  }

  add(line: HistoryLine, { from, to }: LineBytes): void {
    this.#read = to
    const message = messageOf(line)
    if (message === undefined) {
      if (this.#answer === undefined) this.#settled = to
      return
    }
    if (message.role === 'assistant') {
      this.#answer = message
      return
    }
    this.#settle(from)
    this.#push(message)
    this.#settled = to
  }

  /** What is complete so far; a turn that goes on keeps its last words for later. */
  take(): Part {
    const part = { messages: this.#messages, to: this.#settled }
    this.#messages = []
    this.#chars = 0
    return part
  }

  /** The rest, where the transcript ends. */
  end(): Part {
    this.#settle(this.#read)
    return this.take()
  }

  #settle(at: number): void {
    if (this.#answer !== undefined) this.#push(this.#answer)
    this.#answer = undefined
    this.#settled = at
  }

  #push(message: NewMessage): void {
    this.#messages.push(message)
    this.#chars += message.content.length
  }
}

function messageOf(line: HistoryLine): NewMessage | undefined {
  if (line.kind !== 'said') return undefined
  const [message] = textMessage(line.role, line.text, line.at, line.id)
  return message === undefined ? undefined : { ...message, origin: line.origin }
}
