import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { ERROR_CODES } from '../../src/model/error.ts'
import { ConnectionLost, RemoteError } from '../../src/rpc/connect.ts'
import type { CrashRecord, MadeCall } from './crash-record.ts'
import type { Peer } from './peer.ts'
import type { Random } from './random.ts'

/** The shared state of all callers. */
export interface AppendScene {
  readonly peers: readonly Peer[]
  readonly record: CrashRecord
  readonly random: Random
  readonly project: string
  readonly files: readonly string[]
  readonly tasks: readonly string[]
  readonly efforts: readonly number[]
}

/** After this silence a caller asks again, while its first call may still be carried out. */
const PATIENCE_MILLISECONDS = 600
/** The outcome is unknown, or nothing was done: repeat the call. */
const AGAIN: ReadonlySet<number> = new Set([ERROR_CODES.timeout.rpc, ERROR_CODES.unavailable.rpc])

export const isWorthRepeating = (error: unknown): boolean =>
  error instanceof ConnectionLost || (error instanceof RemoteError && AGAIN.has(error.code))

/** Makes calls with keys to one daemon or to both at once, and repeats them at either. */
export class AppendCaller {
  readonly #scene: AppendScene
  readonly #name: string
  /** Answers may come long after the call was repeated elsewhere. */
  readonly #open = new Set<Promise<void>>()

  constructor(scene: AppendScene, name: string) {
    this.#scene = scene
    this.#name = name
  }

  async run(appends: number): Promise<void> {
    for (let made = 0; made < appends; made++) {
      await this.#untilAnswered(this.#next(`${this.#name}-${made}`))
      if (this.#scene.random.chance(0.3)) await this.#read()
    }
    await Promise.all(this.#open)
  }

  /** Reads may fail; only answers can be wrong. */
  async #read(): Promise<void> {
    const { random, peers, files, record } = this.#scene
    const peer = random.pick(peers)
    const path = random.pick(files)
    const isFile = random.chance(0.8)
    const method = isFile ? 'fs.files.read' : 'db.task.list'
    const params = isFile ? { path, limit: 524_288 } : {}
    const answer = record.attempt({ key: '', method, params }, async () => await peer?.call(method, params))
    await Promise.race([answer.catch(() => undefined), sleep(PATIENCE_MILLISECONDS)])
  }

  #next(key: string): MadeCall {
    const { random, files, tasks, efforts, project, record } = this.#scene
    const kind = random.next()
    const text = `${key}:${'x'.repeat(random.below(120))}`
    const made = (method: string, params: MadeCall['params']) => ({ key, method, params })
    const call =
      kind < 0.6
        ? made('fs.files.append', { path: random.pick(files), content: `${text}\n` })
        : kind < 0.7
          ? made('db.task.upsert', { dir_path: random.pick(tasks), title: key })
          : kind < 0.95
            ? made('commands.log.append', { effort_id: random.pick(efforts), text })
            : made('hooks.handle', {
                client: 'claude-code',
                payload: {
                  session_id: key,
                  cwd: project,
                  hook_event_name: 'UserPromptSubmit',
                  prompt: `/research ${key}`,
                },
              })
    record.calls.set(key, call)
    return call
  }

  async #untilAnswered(call: MadeCall): Promise<void> {
    const { random, peers, record } = this.#scene
    for (;;) {
      const one = random.pick(peers)
      const asked = random.chance(0.4) ? peers : peers.filter((peer) => peer === one)
      const answers = asked.map((peer) => this.#ask(peer, call))
      await Promise.race([
        Promise.any(answers).catch(() => Promise.all(answers)),
        sleep(PATIENCE_MILLISECONDS),
      ])
      if (call.answer === undefined) continue
      if (!random.chance(0.2)) return
      record.repeated++
    }
  }

  #ask(peer: Peer, call: MadeCall): Promise<void> {
    const answer = this.#answer(peer, call)
    this.#open.add(answer)
    return answer.finally(() => this.#open.delete(answer))
  }

  /** Every answer to a key is the same one, whoever gives it and whenever. */
  async #answer(peer: Peer, call: MadeCall): Promise<void> {
    const { record } = this.#scene
    try {
      const params = { ...call.params, idempotency_key: call.key }
      const answer = await record.attempt(call, () => peer.call(call.method, params))
      if (isNotice(call, answer)) return
      const { value } = (call.answer ??= { value: answer as Readonly<Record<string, unknown>> })
      if (!isDeepStrictEqual(value, answer))
        record.report('changed', `${call.key}: ${JSON.stringify(value)}, then ${JSON.stringify(answer)}`)
    } catch (error) {
      if (error instanceof ConnectionLost) record.lost++
      if (!isWorthRepeating(error)) record.report('error', `${call.key} (${call.method}): ${String(error)}`)
    }
  }
}

/** While the database is away, a hook is answered with a notice to the user, and nothing is decided. */
const isNotice = ({ method }: MadeCall, answer: unknown): boolean =>
  method === 'hooks.handle' && !('decision' in Object(answer))
