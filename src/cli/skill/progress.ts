import type { Io } from '../frame/io.ts'
import { cutTo } from '../frame/wrap.ts'

/** On a terminal a short look must not flicker; elsewhere only a long one is worth a line. */
const FIRST_MILLISECONDS = { terminal: 200, line: 1000 } as const
const AGAIN_MILLISECONDS = { terminal: 100, line: 10_000 } as const

/** Tells on stderr how far a long look for skills is, and is gone when it is disposed of. */
export class Progress {
  readonly #io: Pick<Io, 'json' | 'width' | 'note' | 'draw'>
  readonly #now: () => number
  readonly #kind: 'terminal' | 'line'
  readonly #seen = { folder: 0, skill: 0 }
  #due: number
  #isDrawn = false

  constructor(io: Pick<Io, 'json' | 'width' | 'note' | 'draw'>, now = () => performance.now()) {
    this.#io = io
    this.#now = now
    this.#kind = io.draw === undefined ? 'line' : 'terminal'
    this.#due = now() + FIRST_MILLISECONDS[this.#kind]
  }

  /** A folder was looked into, or a skill was read. */
  readonly see = (what: 'folder' | 'skill'): void => {
    this.#seen[what]++
    const now = this.#now()
    if (now < this.#due) return
    this.#due = now + AGAIN_MILLISECONDS[this.#kind]
    const { folder, skill } = this.#seen
    const text = `Looking for skills: ${folder} folders, ${skill} skills read`
    const { json, width, draw, note } = this.#io
    if (draw !== undefined) {
      draw(cutTo(text, width - 1))
      this.#isDrawn = true
      // Where data is asked for, an error that follows is to be the only thing on stderr.
    } else if (!json) note(text)
  }

  /** Says something else in between. */
  note(text: string): void {
    this[Symbol.dispose]()
    this.#io.note(text)
  }

  [Symbol.dispose](): void {
    if (this.#isDrawn) this.#io.draw?.('')
    this.#isDrawn = false
  }
}
