import { readdirSync, readFileSync } from 'node:fs'
import type { DescriptorStatus } from '../engine/call/context.ts'
import type { Log } from './log.ts'

/** The shares of the limit at which we warn and refuse; at the limit the kernel would refuse silently. */
const TELL_AT = 0.8
const REFUSE_AT = 0.9
/** The share that callers on each of two servers may take before they have shown that they may call. */
const STRANGERS = 0.25
const MOST_STRANGERS = 512

/** Counts the open files and connections of this process, if the system shows them. */
export class Descriptors {
  readonly #log: Log
  #counted = 0
  #limit = Infinity
  /** Callers since the last count; counting for each would cost more than serving it. */
  #came = 0
  #isTold = false

  constructor(log: Log) {
    this.#log = log
    this.look()
  }

  get status(): DescriptorStatus | undefined {
    this.look()
    return this.#limit === Infinity ? undefined : { used: this.#counted, limit: this.#limit }
  }

  /** Strangers must leave room for the callers that count. */
  get maxStrangers(): number {
    return Math.max(1, Math.min(MOST_STRANGERS, Math.floor(this.#limit * STRANGERS)))
  }

  /** Says why a new caller cannot be served, or undefined. */
  refusal(): string | undefined {
    if (this.#counted + ++this.#came < this.#limit * REFUSE_AT) return undefined
    this.look()
    if (this.#counted < this.#limit * REFUSE_AT) return undefined
    return `The daemon has ${this.#counted} files and connections open, and its limit is ${this.#limit}; stop some clients, or raise the limit: ulimit -n`
  }

  /** Counts, and warns once when the limit is close. */
  look(): void {
    const found = count()
    if (found === undefined) return
    this.#counted = found.used
    this.#limit = found.limit
    this.#came = 0
    const wasTold = this.#isTold
    this.#isTold = found.used >= found.limit * TELL_AT
    if (wasTold || !this.#isTold) return
    const message = 'The daemon is close to its limit of open files and connections.'
    this.#log.write('warn', 'many open files', { message, ...found })
  }
}

/** Reads the limit each time, because it can change; undefined if the system does not show it. */
function count(): DescriptorStatus | undefined {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return limit === undefined
      ? undefined
      : { used: readdirSync('/proc/self/fd').length, limit: Number(limit) }
  } catch {
    return undefined
  }
}
