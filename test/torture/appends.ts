import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { AppendCaller, type AppendScene, isWorthRepeating } from './append-caller.ts'
import { AppendCheck } from './append-check.ts'
import { CrashRecord, type Violation } from './crash-record.ts'
import { checkOrder } from './order-check.ts'
import { Peer } from './peer.ts'
import { Random } from './random.ts'

export interface AppendsOptions {
  readonly appends: number
  readonly callers: number
  readonly seed: number
  /** The file that Node runs as each daemon. */
  readonly daemon: string
  /** The URL of an empty PostgreSQL database. */
  readonly url: string
  readonly log: (line: string) => void
}

export interface AppendsReport {
  readonly appends: number
  readonly acknowledged: number
  /** Calls without an answer: killed, paused or cut off. */
  readonly lost: number
  readonly repeated: number
  readonly kills: number
  readonly pauses: number
  /** How often database connections were cut. */
  readonly cuts: number
  readonly violations: readonly Violation[]
}

/** Few enough that the files of a round stay small. */
const APPENDS_PER_ROUND = 400
const FILES = 3
const LONGEST_CALM_MILLISECONDS = 1500
const RUN_SKILL = 'research'

/** Two daemons with one database and one disk get the same calls, and are killed, paused and cut off. */
export async function appendsRun(options: AppendsOptions): Promise<AppendsReport> {
  await using stage = await Stage.set(options)
  return await stage.run()
}

class Stage implements AppendScene, AsyncDisposable {
  readonly record = new CrashRecord()
  readonly random: Random
  readonly peers: readonly Peer[]
  files: readonly string[] = []
  tasks: readonly string[] = []
  efforts: readonly number[] = []
  readonly #options: AppendsOptions
  readonly #database: Client
  readonly #counts = { kills: 0, pauses: 0, cuts: 0 }
  #acknowledged = 0

  private constructor(options: AppendsOptions) {
    this.#options = options
    this.random = new Random(options.seed)
    this.#database = new Client({ connectionString: options.url })
    const env = { HOLDFAST_DATABASE_URL: options.url }
    this.peers = [new Peer(options.daemon, env), new Peer(options.daemon, env)]
  }

  static async set(options: AppendsOptions): Promise<Stage> {
    const stage = new Stage(options)
    await stage.#prepare()
    return stage
  }

  get project(): string {
    return this.peers[0]?.user.project ?? ''
  }

  async run(): Promise<AppendsReport> {
    const { appends, log } = this.#options
    const check = new AppendCheck(this.#database, this.record)
    for (let done = 0; done < appends && this.record.violations.length === 0; done += APPENDS_PER_ROUND) {
      await this.#round(Math.min(APPENDS_PER_ROUND, appends - done))
      await check.run(this.project)
      checkOrder(this.record, this.files, this.tasks)
      log(`${done + APPENDS_PER_ROUND} appends, ${JSON.stringify(this.#counts)}, ${this.record.lost} lost`)
    }
    const { lost, repeated, violations } = this.record
    return { ...this.#counts, appends, acknowledged: this.#acknowledged, lost, repeated, violations }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const peer of this.peers) await peer[Symbol.asyncDispose]()
    await this.#database.end()
  }

  async #prepare(): Promise<void> {
    await this.#database.connect()
    for (const peer of this.peers) peer.start()
    const skill = join(this.project, '.claude/skills', RUN_SKILL)
    mkdirSync(skill, { recursive: true })
    const text = `---\nname: ${RUN_SKILL}\ndescription: Looks into it.\nuses_skill_run: true\n---\n\nDo it.\n`
    writeFileSync(join(skill, 'SKILL.md'), text)
    await this.#ask('db.project.upsert', { path: this.project })
  }

  /** New files and a new effort, because each call of a round reads and compares whole files. */
  async #round(appends: number): Promise<void> {
    this.record.calls.clear()
    this.record.attempts.length = 0
    const name = `round-${this.random.below(1e9)}`
    this.files = Array.from({ length: FILES }, (_, index) => join(this.project, `${name}-${index}.txt`))
    const dir = join(this.project, name)
    const effort = await this.#ask('commands.effort.start', { dir, skill: RUN_SKILL })
    this.tasks = [dir]
    this.efforts = [Number(effort['id'])]
    const share = Math.ceil(appends / this.#options.callers)
    const callers = Array.from({ length: this.#options.callers }, (_, index) =>
      new AppendCaller(this, `${name}-c${index}`).run(share),
    )
    const calm = new AbortController()
    const chaos = this.#disturb(calm.signal)
    await Promise.all(callers).finally(() => calm.abort())
    await chaos
    this.#acknowledged += this.record.acknowledged
  }

  /** The last kill or cut of a round may reach into the next one. */
  async #ask(method: string, params: Readonly<Record<string, unknown>>) {
    const idempotency_key = `${method} ${JSON.stringify(params)}`
    for (;;) {
      const answer = this.peers[0]?.call(method, { ...params, idempotency_key })
      const value = await answer?.catch((error: unknown) => {
        if (!isWorthRepeating(error)) throw error
      })
      if (value !== undefined) return value as Readonly<Record<string, unknown>>
      await sleep(50)
    }
  }

  async #disturb(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const peer = this.random.pick(this.peers)
      const next = this.random.pick([this.#kill, this.#pause, this.#pause, this.#cut])
      const calm = this.random.below(LONGEST_CALM_MILLISECONDS)
      const isOver = await sleep(calm, false, { signal }).catch(() => true)
      if (peer !== undefined && !isOver) await next?.(peer)
    }
  }

  readonly #kill = async (peer: Peer): Promise<void> => {
    this.#counts.kills++
    await peer.kill()
    peer.start()
  }

  /** Some pauses outlast the lease of a place on disk. */
  readonly #pause = async (peer: Peer): Promise<void> => {
    this.#counts.pauses++
    await peer.pause(this.random.pick([100, 1000, 1800, 2500]) ?? 0)
  }

  readonly #cut = async (): Promise<void> => {
    this.#counts.cuts++
    await this.#database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'holdfast' and datname = current_database()`,
    )
  }
}
