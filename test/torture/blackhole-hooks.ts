import { setTimeout as sleep } from 'node:timers/promises'
import type { Home } from '../../src/daemon/home.ts'
import { readKeys } from '../../src/daemon/keys.ts'
import type { PostgresStatus } from '../../src/engine/call/context.ts'

interface Scene {
  readonly home: Home
  readonly project: string
  readonly isOver: boolean
  /** What the daemon says about its server now. */
  server(): Promise<PostgresStatus | null>
}

const PAUSE_MILLISECONDS = 50

/** Clients whose hooks keep coming while the network fails. */
export class SteadyHooks {
  readonly #scene: Scene
  /** How long each hook took, in milliseconds. */
  readonly took: number[] = []
  /** Of these, the ones during which the breaker was open. */
  readonly tookWhileOpen: number[] = []
  /** What users were told, by session and opening. */
  readonly notices = new Map<string, number>()

  constructor(scene: Scene) {
    this.#scene = scene
  }

  async run(clients: number): Promise<void> {
    await Promise.all(Array.from({ length: clients }, (_, index) => this.#client(`hooked-${index}`)))
  }

  async #client(session: string): Promise<void> {
    await this.#fire(session, 'SessionStart', { source: 'startup' })
    while (!this.#scene.isOver) {
      const call = {
        tool_name: 'Read',
        tool_input: { file_path: '/nothing' },
        tool_use_id: crypto.randomUUID(),
      }
      const before = await this.#scene.server()
      const begun = performance.now()
      const said = await this.#fire(session, 'PreToolUse', call)
      const took = performance.now() - begun
      const since = before?.away_since ?? undefined
      const isOpen = since !== undefined && (await this.#scene.server())?.away_since === since
      this.took.push(took)
      if (isOpen) this.tookWhileOpen.push(took)
      const opening = `${session} ${since ?? ''}`
      if (isOpen && said.includes('systemMessage'))
        this.notices.set(opening, (this.notices.get(opening) ?? 0) + 1)
      await sleep(PAUSE_MILLISECONDS)
    }
  }

  async #fire(session: string, event: string, more: object): Promise<string> {
    const { port, hook } = readKeys(this.#scene.home)
    const payload = { session_id: session, cwd: this.#scene.project, hook_event_name: event, ...more }
    const answer = await fetch(`http://127.0.0.1:${port}/hook/claude-code`, {
      method: 'POST',
      headers: { authorization: `Bearer ${hook}`, 'content-type': 'application/json' },
      body: JSON.stringify(payload),
    })
    return await answer.text()
  }
}

/** The middle one, which a busy machine hardly moves. */
export const medianOf = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

export const slowestOf = (numbers: readonly number[]): number => Math.max(0, ...numbers)
