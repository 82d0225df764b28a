import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export const hasTmux = spawnSync('tmux', ['-V']).status === 0

interface Program {
  /** The folder for the files of the terminal. */
  readonly folder: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly words: readonly string[]
}

const LOOK_EVERY_MILLISECONDS = 100

/** A real terminal with one program and a readable screen; it ends with its own tmux. */
export class Terminal implements Disposable {
  readonly #socket: string
  readonly #env: Readonly<Record<string, string>>

  constructor({ folder, cwd, env, words }: Program) {
    this.#socket = join(folder, 'tmux')
    this.#env = { ...env, TERM: 'xterm-256color' }
    this.#tmux('new-session', '-d', '-x', '120', '-y', '40', '-c', cwd, ...words)
  }

  screen(): string {
    return this.#tmux('capture-pane', '-p')
  }

  /** The screen once it shows this; a test that waits in vain ends by its own limit, with the screen. */
  async shows(text: string): Promise<string> {
    for (let looks = 1; ; looks++) {
      const screen = this.screen()
      if (screen.includes(text)) return screen
      if (looks % 100 === 0) console.log(`Still waiting for ${text}:\n${screen.trimEnd()}`)
      await sleep(LOOK_EVERY_MILLISECONDS)
    }
  }

  /** Presses a key, by the name that tmux gives it. */
  press(key: string): void {
    this.#tmux('send-keys', key)
  }

  [Symbol.dispose](): void {
    spawnSync('tmux', ['-S', this.#socket, 'kill-server'])
  }

  #tmux(...words: readonly string[]): string {
    const options = { env: this.#env, encoding: 'utf8' } as const
    return execFileSync('tmux', ['-S', this.#socket, '-f', '/dev/null', ...words], options)
  }
}
