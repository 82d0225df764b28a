const MINUTE = 60_000

/** A provider that asks for more is asked again, because a broken header would silence it for years. */
const LONGEST_HOLD = 10 * MINUTE

/** The calls of one provider: no more in a minute than the config says, and none while it asks us to wait. */
export class Pace {
  #free = 0
  #held = 0

  /** Takes the next turn; returns how many milliseconds to wait for it. */
  take(perMinute: number | undefined, now = performance.now()): number {
    const turn = Math.max(now, this.#free, this.#held)
    if (perMinute !== undefined) this.#free = turn + MINUTE / perMinute
    return turn - now
  }

  /** No call begins within so many milliseconds. */
  hold(milliseconds: number, now = performance.now()): void {
    this.#held = Math.max(this.#held, now + Math.min(milliseconds, LONGEST_HOLD))
  }

  /** How long the provider still asks us to wait. */
  held(now = performance.now()): number {
    return Math.max(0, this.#held - now)
  }
}
