/** Milliseconds from one measurement to the next. */
const EVERY_MILLISECONDS = 10_000

interface Measured {
  /** When we asked and when we had the answer, by the clock of this machine. */
  readonly asked: number
  readonly answered: number
  /** What the server said in between, by its own clock. */
  readonly server: number
}

/** How far the clock of a server is ahead of this machine's. */
export class ServerClock {
  /** In milliseconds; negative if it is behind. */
  ahead = 0
  #due = 0

  /** True once per interval; by a monotonic clock, because the other one may jump. */
  isDue(): boolean {
    const now = performance.now()
    if (now < this.#due) return false
    this.#due = now + EVERY_MILLISECONDS
    return true
  }

  /** Changes as little as the measurement demands, so that a slow answer does not move the clock. */
  measured({ asked, answered, server }: Measured): void {
    // This machine tells whole milliseconds only.
    const [least, most] = [Math.floor(server) - answered - 1, Math.floor(server) - asked]
    this.ahead = Math.min(Math.max(this.ahead, least), most)
  }
}
