import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Home } from '../../src/daemon/home.ts'
import { type Outcome, postHook } from './post-hook.ts'
import { runToEnd } from './processes.ts'
import { PIPE, withLimit } from '../hook-routes.ts'

/** The results of the hooks of one route. */
export interface RouteReport {
  sent: number
  /** Acknowledged hooks; a pipe never acknowledges. */
  acknowledged: number
  /** Hooks that found a closed port; at a handed over port they would have waited. */
  refused: number
  slowestMilliseconds: number
}

interface Scene {
  readonly home: Home
  readonly project: string
  /** The package whose program runs. */
  readonly entry: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly isOver: boolean
}

const PAUSE_MILLISECONDS = 100

type Route = (payload: string) => Promise<Outcome>

/** Clients that report new sessions on every hook route until the end. */
export class HookCallers {
  readonly #scene: Scene
  readonly #routes: Readonly<Record<string, Route>>
  readonly reports: Record<string, RouteReport> = {}
  /** The reported sessions by route. */
  readonly sent = new Map<string, { readonly route: string; isAcknowledged: boolean }>()

  constructor(scene: Scene) {
    this.#scene = scene
    const keepAlive = new Agent({ keepAlive: true, maxSockets: 1 })
    const { env, home, entry } = scene
    const run = async (program: string, words: readonly string[], payload: string): Promise<Outcome> =>
      (await runToEnd(program, words, env, payload)) ? 'acknowledged' : 'failed'
    this.#routes = {
      http: (payload) => postHook(home, payload),
      'http, one connection': (payload) => postHook(home, payload, keepAlive),
      pipe: (payload) => run('sh', ['-c', withLimit(PIPE)], payload),
      'holdfast hook': (payload) =>
        run(process.execPath, [entry, 'hook', 'claude-code', '--limit', '60000'], payload),
    }
  }

  async run(clients: number): Promise<void> {
    const names = Object.keys(this.#routes)
    await Promise.all(
      Array.from({ length: clients }, (_, index) => this.#client(names[index % names.length] ?? '', index)),
    )
  }

  async #client(route: string, client: number): Promise<void> {
    const report = (this.reports[route] ??= { sent: 0, acknowledged: 0, refused: 0, slowestMilliseconds: 0 })
    for (let count = 0; !this.#scene.isOver; count++) {
      const session = `hook-${client}-${count}`
      const begun = performance.now()
      const one = { route, isAcknowledged: false }
      this.sent.set(session, one)
      report.sent++
      const outcome = await this.#routes[route]?.(this.#payload(session))
      one.isAcknowledged = outcome === 'acknowledged'
      if (outcome === 'acknowledged' || outcome === 'refused') report[outcome]++
      report.slowestMilliseconds = Math.max(report.slowestMilliseconds, performance.now() - begun)
      // A client pauses between hooks, and endless processes would block the machine.
      await sleep(PAUSE_MILLISECONDS)
    }
  }

  #payload(session: string): string {
    const event = { hook_event_name: 'SessionStart', source: 'startup' }
    return JSON.stringify({ ...event, session_id: session, cwd: this.#scene.project })
  }
}
