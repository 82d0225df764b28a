/** Counts work in progress and waits for its end. */
export class Work {
  #underWay = 0
  #onSettled: (() => void) | undefined

  get underWay(): number {
    return this.#underWay
  }

  begin(): void {
    this.#underWay++
  }

  end(): void {
    if (--this.#underWay === 0) this.#onSettled?.()
  }

  settled(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#underWay === 0) resolve()
      else this.#onSettled = resolve
    })
  }
}
