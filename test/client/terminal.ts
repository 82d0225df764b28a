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

  /** The screen once it shows one of these; a test that waits in vain ends by its own limit, with the screen. */
  async shows(...texts: readonly string[]): Promise<string> {
    return await this.#until(`for ${texts.join(' or ')}`, (screen) =>
      texts.some((text) => screen.includes(text)),
    )
  }

  async showsNoMore(text: string): Promise<string> {
    return await this.#until(`without ${text}`, (screen) => !screen.includes(text))
  }

  /** Presses a key, by the name that tmux gives it. */
  press(key: string): void {
    this.#tmux('send-keys', key)
  }

  /** Types a line, as a user does. */
  type(line: string): void {
    this.#tmux('send-keys', '-l', line)
    this.press('Enter')
  }

  [Symbol.dispose](): void {
    spawnSync('tmux', ['-S', this.#socket, 'kill-server'])
  }

  async #until(what: string, isSo: (screen: string) => boolean): Promise<string> {
    for (let looks = 1; ; looks++) {
      const screen = this.screen()
      if (isSo(screen)) return screen
      if (looks % 100 === 0) console.log(`Still waiting ${what}:\n${screen.trimEnd()}`)
      await sleep(LOOK_EVERY_MILLISECONDS)
    }
  }

  #tmux(...words: readonly string[]): string {
    const options = { env: this.#env, encoding: 'utf8' } as const
    return execFileSync('tmux', ['-S', this.#socket, '-f', '/dev/null', ...words], options)
  }
}
