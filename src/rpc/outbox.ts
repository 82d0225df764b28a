import type { Socket } from 'node:net'

/** Sent at once; a longer text is sent in parts, so that one caller holds neither the process nor much memory. */
const SLICE_BYTES = 262_144

/** Sends texts in order, as fast as the other end reads them; a text is made only when it is its turn. */
export class Outbox {
  readonly #socket: Socket
  readonly #waiting: (() => string)[] = []
  #rest: Buffer | undefined
  #isFull = false

  constructor(socket: Socket, onDrained: () => void) {
    this.#socket = socket
    socket.on('drain', () => {
      this.#isFull = false
      this.#send()
      if (!this.#isFull) onDrained()
    })
  }

  /** The other end reads more slowly than we send. */
  get isFull(): boolean {
    return this.#isFull
  }

  get isEmpty(): boolean {
    return this.#rest === undefined && this.#waiting.length === 0
  }

  push(make: () => string): void {
    this.#waiting.push(make)
    if (!this.#isFull) this.#send()
  }

  #send(): void {
    while (!this.#isFull && !this.isEmpty) {
      if (this.#socket.destroyed || this.#socket.writableEnded) return this.#forget()
      this.#isFull = !this.#socket.write(this.#next())
    }
  }

  #next(): string | Buffer {
    if (this.#rest === undefined) {
      const text = `${this.#waiting.shift()?.() ?? ''}\n`
      if (text.length <= SLICE_BYTES) return text
      this.#rest = Buffer.from(text)
    }
    const slice = this.#rest.subarray(0, SLICE_BYTES)
    this.#rest = this.#rest.length > SLICE_BYTES ? this.#rest.subarray(SLICE_BYTES) : undefined
    return slice
  }

  #forget(): void {
    this.#waiting.length = 0
    this.#rest = undefined
  }
}
