import type { Io } from '../frame/io.ts'
import { cutTo } from '../frame/wrap.ts'

/** Delays, so that a short search shows nothing. */
const FIRST_MILLISECONDS = { terminal: 200, line: 1000 } as const
const AGAIN_MILLISECONDS = { terminal: 100, line: 10_000 } as const

/** Shows the progress of a long search on stderr, and clears it at the end. */
export class Progress {
  readonly #io: Pick<Io, 'json' | 'width' | 'note' | 'draw'>
  readonly #now: () => number
  readonly #kind: 'terminal' | 'line'
  readonly #seen = { folder: 0, skill: 0 }
  /** Undefined before the first folder, because starting up is no search. */
  #due: number | undefined
  #isDrawn = false

  constructor(io: Pick<Io, 'json' | 'width' | 'note' | 'draw'>, now = () => performance.now()) {
    this.#io = io
    this.#now = now
    this.#kind = io.draw === undefined ? 'line' : 'terminal'
  }

  /** Counts a folder or a skill. */
  readonly see = (what: 'folder' | 'skill'): void => {
    this.#seen[what]++
    const now = this.#now()
    this.#due ??= now + FIRST_MILLISECONDS[this.#kind]
    if (now < this.#due) return
    this.#due = now + AGAIN_MILLISECONDS[this.#kind]
    const { folder, skill } = this.#seen
    const text = `Looking for skills: ${folder} folders, ${skill} skills read`
    const { json, width, draw, note } = this.#io
    if (draw !== undefined) {
      draw(cutTo(text, width - 1))
      this.#isDrawn = true
      // With --json, stderr is only for errors.
    } else if (!json) note(text)
  }

  /** Prints another message. */
  note(text: string): void {
    this[Symbol.dispose]()
    this.#io.note(text)
  }

  [Symbol.dispose](): void {
    if (this.#isDrawn) this.#io.draw?.('')
    this.#isDrawn = false
  }
}
