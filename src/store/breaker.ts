import { timestamp } from '../model/clock.ts'
import { EngineError } from '../model/error.ts'

interface BreakerOptions {
  /** Resolves if the server works; must end in time. */
  readonly probe: () => Promise<void>
  /** Milliseconds from one probe to the next while it is open. */
  readonly every: number
  readonly now: () => number
  /** Called when a probe failed for the first time. */
  readonly onOpen: () => void
}

/** Lets calls fail at once while the server is away. A failed call is only a suspicion; a probe decides. */
export class Breaker {
  readonly #options: BreakerOptions
  #probe: () => Promise<void>
  #isProbing = false
  #isStopped = false
  /** When it opened, in milliseconds since 1970; undefined while it is closed. */
  openSince: number | undefined

  constructor(options: BreakerOptions) {
    this.#options = options
    this.#probe = options.probe
  }

  /** Throws while it is open. */
  check(): void {
    if (this.openSince !== undefined) throw away(this.openSince)
  }

  /** Probes after a failed or late call, and opens if that fails too. */
  suspect(): void {
    if (!this.#isProbing && !this.#isStopped) void this.#tryIt()
  }

  /** Opens until some work succeeds that must come before all calls. */
  openUntil(work: () => Promise<void>): void {
    this.#probe = work
    this.#open()
    this.suspect()
  }

  /** Probes no more. */
  stop(): void {
    this.#isStopped = true
  }

  async #tryIt(): Promise<void> {
    this.#isProbing = true
    const isThere = await this.#probe().then(
      () => true,
      () => false,
    )
    this.#isProbing = false
    if (this.#isStopped) return
    if (isThere) {
      this.#probe = this.#options.probe
      this.openSince = undefined
      return
    }
    if (this.openSince === undefined) this.#open()
    setTimeout(() => this.suspect(), this.#options.every).unref()
  }

  #open(): void {
    this.openSince = this.#options.now()
    this.#options.onOpen()
  }
}

const away = (since: number) =>
  new EngineError(
    'unavailable',
    `PostgreSQL has not answered since ${timestamp(since)}; nothing was changed. Holdfast tries it again every second.`,
    { hint: 'holdfast doctor' },
  )
