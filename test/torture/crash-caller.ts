import { setTimeout as sleep } from 'node:timers/promises'
import { existsSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { ERROR_CODES } from '../../src/model/error.ts'
import { ConnectionLost, RemoteError, type RpcConnection } from '../../src/rpc/connect.ts'
import type { MadeCall } from './crash-record.ts'
import { namedIn, PHASES, type Scene, SKILL } from './scene.ts'

interface MyEffort {
  readonly id: number
  readonly task: string
  entered: number
}

const TIMEOUT = ERROR_CODES.timeout.rpc
const UNAVAILABLE = ERROR_CODES.unavailable.rpc
const AGAIN_MILLISECONDS = 50

/** A client that keeps changing things and repeats unanswered calls with the same key. */
export class Caller {
  readonly #scene: Scene
  readonly #name: string
  #connection: Pick<RpcConnection, 'call' | 'close'> | undefined
  #made = 0
  #efforts: MyEffort[] = []
  #sessions: number[] = []
  #owned: MyEffort | undefined
  readonly #answered: MadeCall[] = []

  constructor(scene: Scene, name: string) {
    this.#scene = scene
    this.#name = name
  }

  async run(): Promise<void> {
    await this.#call('db.agents.register', { id: this.#name })
    while (!this.#scene.isOver) await this.#step()
    this.#connection?.close()
  }

  async #step(): Promise<void> {
    const steps = [
      () => this.#startEffort(),
      () => this.#enterPhase(),
      () => this.#startSession(),
      () => this.#appendMessage(),
      () => this.#appendMessage(),
      () => this.#heartbeat(),
      () => this.#claimOrRelease(),
      () => this.#appendToFile(),
      () => this.#nameTask(),
      () => this.#read(),
      () => this.#repeat(),
    ]
    await this.#scene.random.pick(steps)?.()
  }

  async #startEffort(): Promise<void> {
    const task = this.#scene.random.pick(this.#scene.tasks) ?? ''
    const key = this.#newKey()
    const effort = await this.#call(
      'db.effort.start',
      { task_id: task, skill: SKILL, metadata: { key } },
      key,
    )
    if (effort !== undefined) this.#efforts.push({ id: Number(effort['id']), task, entered: 0 })
    if (this.#efforts.length > 5) this.#efforts.shift()
  }

  async #enterPhase(): Promise<void> {
    const effort = this.#scene.random.pick(this.#efforts.filter(({ entered }) => entered < PHASES.length))
    if (effort === undefined) return
    const key = this.#newKey()
    const label = PHASES[effort.entered++]
    await this.#call('db.effort.phase', { effort_id: effort.id, label, proof: { key } }, key)
  }

  async #startSession(): Promise<void> {
    const effort = this.#scene.random.pick(this.#efforts)
    if (effort === undefined) return
    const key = this.#newKey()
    const params = { task_id: effort.task, effort_id: effort.id, native_id: key }
    const session = await this.#call('db.session.start', params, key)
    // An owner works in one window at a time, so its last window has ended.
    if (session !== undefined) this.#sessions = [...this.#sessions.slice(-2), Number(session['id'])]
    if (this.#owned !== undefined) this.#sessions = this.#sessions.slice(-1)
  }

  async #appendMessage(): Promise<void> {
    const session = this.#scene.random.pick(this.#sessions)
    if (session === undefined) return
    const key = this.#newKey()
    const content = `${key} ${'x'.repeat(this.#scene.random.below(300))}`
    await this.#call('db.messages.append', { session_id: session, role: 'user', content }, key)
  }

  async #heartbeat(): Promise<void> {
    const session = this.#sessions.at(-1)
    if (session !== undefined) await this.#call('db.session.heartbeat', { session_id: session })
  }

  /** Every effort is claimed and released at most once, so that the ledger can be counted. */
  async #claimOrRelease(): Promise<void> {
    const owned = this.#owned
    if (owned !== undefined) {
      this.#owned = undefined
      this.#efforts = this.#efforts.filter(({ id }) => id !== owned.id)
      await this.#call('db.agents.release', { agent_id: this.#name, effort_id: owned.id })
      return
    }
    const effort = this.#scene.random.pick(this.#efforts)
    if (effort === undefined) return
    await this.#call('db.agents.claim', { agent_id: this.#name, effort_id: effort.id })
    this.#owned = effort
  }

  async #appendToFile(): Promise<void> {
    const path = this.#scene.random.pick(this.#scene.files)
    const key = this.#newKey()
    await this.#call('fs.files.append', { path, content: `${key}\n` }, key)
  }

  async #nameTask(): Promise<void> {
    const key = this.#newKey()
    const dir_path = namedIn(this.#scene.random.pick(this.#scene.tasks) ?? '')
    await this.#call('db.task.upsert', { dir_path, title: key }, key)
  }

  /** What others see of the calls above. */
  async #read(): Promise<void> {
    const path = this.#scene.random.pick(this.#scene.files) ?? ''
    if (existsSync(path))
      await this.#untilAnswered({ key: '', method: 'fs.files.read', params: { path, limit: 524_288 } })
    await this.#untilAnswered({ key: '', method: 'db.task.list', params: {} })
  }

  /** A repeated call always gets its first answer. */
  async #repeat(): Promise<void> {
    const call = this.#scene.random.pick(this.#answered.slice(-50))
    if (call?.answer === undefined) return
    const again = await this.#untilAnswered(call)
    this.#scene.record.repeated++
    if (again !== undefined && !isDeepStrictEqual(again, call.answer.value))
      this.#scene.record.report('changed', `${call.key} (${call.method}) got another answer when repeated`)
  }

  #newKey(): string {
    return `${this.#name}-${++this.#made}`
  }

  async #call(
    method: string,
    params: Readonly<Record<string, unknown>>,
    key = this.#newKey(),
  ): Promise<Readonly<Record<string, unknown>> | undefined> {
    const call: MadeCall = { key, method, params }
    this.#scene.record.calls.set(key, call)
    const value = await this.#untilAnswered(call)
    if (value === undefined) return undefined
    call.answer = { value }
    if (method !== 'db.session.heartbeat') this.#answered.push(call)
    return value
  }

  async #untilAnswered(call: MadeCall): Promise<Readonly<Record<string, unknown>> | undefined> {
    const { gate, record } = this.#scene
    const begun = performance.now()
    for (;;) {
      await gate.pass()
      try {
        this.#connection ??= await this.#scene.connect()
        // A daemon that was found only after the kill is killed too.
        if (!gate.isOpen) continue
        const connection = this.#connection
        const params = { ...call.params, ...(call.key !== '' && { idempotency_key: call.key }) }
        const answer = record.attempt(call, () => connection.call(call.method, params))
        const value = (await answer) as Readonly<Record<string, unknown>>
        record.slowestMilliseconds = Math.max(record.slowestMilliseconds, performance.now() - begun)
        return value
      } catch (error) {
        if (error instanceof RemoteError && error.code === TIMEOUT) continue
        if (error instanceof RemoteError && error.code === UNAVAILABLE && this.#scene.mayBeAway === true) {
          await sleep(AGAIN_MILLISECONDS)
          continue
        }
        if (error instanceof RemoteError) {
          record.report('error', `${call.key} (${call.method}): ${error.message}`)
          return undefined
        }
        this.#connection = undefined
        if (error instanceof ConnectionLost) record.lost++
        else record.report('error', `${call.key} could not reach the daemon: ${String(error)}`)
      }
    }
  }
}
