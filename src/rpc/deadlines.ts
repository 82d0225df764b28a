/** Calls back when something lasts too long. One timer serves all, because most things end at once. */
export class Deadlines {
  readonly #milliseconds: number
  /** In the order of their deadlines, because all wait equally long. */
  readonly #waiting = new Map<() => void, number>()
  #hasTimer = false

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds
  }

  begin(onLate: () => void): void {
    this.#waiting.set(onLate, performance.now() + this.#milliseconds)
    if (!this.#hasTimer) this.#lookIn(this.#milliseconds)
  }

  end(onLate: () => void): void {
    this.#waiting.delete(onLate)
  }

  /** It stays when everything has ended, so it must not keep the process alive. */
  #lookIn(milliseconds: number): void {
    this.#hasTimer = true
    setTimeout(() => this.#look(), milliseconds).unref()
  }

  #look(): void {
    this.#hasTimer = false
    for (const [onLate, deadline] of this.#waiting) {
      const left = Math.ceil(deadline - performance.now())
      if (left > 0) return this.#lookIn(left)
      this.#waiting.delete(onLate)
      onLate()
    }
  }
}
