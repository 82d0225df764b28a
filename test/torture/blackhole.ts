import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { reach } from '../../src/cli/daemon/reach.ts'
import { killDaemon } from '../../src/cli/daemon/stop.ts'
import { untilHttp } from '../../src/cli/daemon/until-http.ts'
import { Remote } from '../../src/cli/daemon/remote.ts'
import { findHome } from '../../src/daemon/home.ts'
import type { DaemonStatus, PostgresStatus } from '../../src/engine/call/context.ts'
import type { RpcConnection } from '../../src/rpc/connect.ts'
import { type ChaosLine, chaosLine } from '../chaos-line.ts'
import { User } from '../holdfast.ts'
import { createDatabase } from '../postgres.ts'
import { medianOf, slowestOf, SteadyHooks } from './blackhole-hooks.ts'
import { Caller } from './crash-caller.ts'
import { filesIn, furnish, Gate, type Scene, tasksIn } from './scene.ts'
import { CrashCheck, type Row } from './crash-check.ts'
import { CrashRecord } from './crash-record.ts'
import { Random } from './random.ts'

export interface BlackholeOptions {
  /** A PostgreSQL server, without a network in between. */
  readonly url: string
  /** The file that Node runs as the daemon. */
  readonly daemon: string
  readonly clients: number
  readonly seed: number
  /** Goes on with failures of the network until it says so. */
  readonly isOver: (failures: number) => boolean
  /** How long changes may fail after the network is back. */
  readonly patienceMilliseconds: number
  /** How many changes are acknowledged between two failures. */
  readonly calm: number
  /** How long the network stays away at most after the daemon has noticed. */
  readonly longestMilliseconds: number
  readonly log: (line: string) => void
}

export interface BlackholeReport {
  readonly failures: number
  readonly acknowledged: number
  readonly repeated: number
  readonly hooks: number
  readonly hooksWhileOpen: number
  /** In milliseconds, as the rest. */
  readonly slowestHook: number
  readonly slowestHookWhileOpen: number
  readonly medianHookWhileOpen: number
  readonly slowestRecovery: number
  readonly violations: readonly string[]
}

const HOOK_CLIENTS = 3

/** Lets the network of a PostgreSQL fail again and again under constant calls and hooks, then checks what is stored. */
export async function blackholeRun(options: BlackholeOptions): Promise<BlackholeReport> {
  const url = await createDatabase(options.url)
  const line = await chaosLine(url)
  const stage = new Stage(options, url, line)
  return await stage.run().finally(() => stage.remove())
}

class Stage implements Scene {
  readonly gate = new Gate()
  readonly record = new CrashRecord()
  readonly random: Random
  readonly tasks: readonly string[]
  readonly files: readonly string[]
  readonly project: string
  readonly home: ReturnType<typeof findHome>
  readonly mayBeAway = true
  isOver = false
  readonly #options: BlackholeOptions
  readonly #url: string
  readonly #line: ChaosLine
  readonly #user: User
  readonly #others: string[] = []
  #slowestRecovery = 0
  #failures = 0
  #asking: RpcConnection | undefined

  constructor(options: BlackholeOptions, url: string, line: ChaosLine) {
    this.#options = options
    this.#url = url
    this.#line = line
    this.random = new Random(options.seed)
    this.#user = new User({ HOLDFAST_DATABASE_URL: line.url })
    this.project = this.#user.project
    this.home = findHome(this.#user.env)
    this.tasks = tasksIn(this.project)
    this.files = filesIn(this.project)
  }

  async run(): Promise<BlackholeReport> {
    await this.#prepare()
    this.gate.open()
    const hooks = new SteadyHooks(this)
    const callers = Array.from({ length: this.#options.clients }, (_, index) => new Caller(this, `c${index}`))
    const working = Promise.all([...callers.map((caller) => caller.run()), hooks.run(HOOK_CLIENTS)])
    // A failure must end the run at once.
    await Promise.race([working, this.#failAll()])
    this.isOver = true
    if (this.#others.length === 0) {
      await working
      await this.#check()
    } else working.catch(() => undefined)
    return this.#report(hooks)
  }

  async connect(): Promise<RpcConnection> {
    return await reach({ home: this.home, entry: this.#options.daemon, env: this.#user.env })
  }

  async server(): Promise<PostgresStatus | null> {
    this.#asking ??= await this.connect()
    return ((await this.#asking.call('daemon.status')) as DaemonStatus).postgres
  }

  async remove(): Promise<void> {
    // A daemon without limits cannot stop.
    await killDaemon(this.home)
    await this.#line[Symbol.asyncDispose]()
    await this.#user[Symbol.asyncDispose]()
  }

  async #prepare(): Promise<void> {
    const connection = await this.connect()
    await furnish((method, params) => connection.call(method, params), this)
    connection.close()
    using remote = new Remote({ env: this.#user.env, entry: this.#options.daemon })
    await untilHttp(remote)
  }

  async #failAll(): Promise<void> {
    const ways = [() => this.#swallow(), () => this.#swallow(), () => this.#reset(), () => this.#delay()]
    while (!this.#options.isOver(this.#failures) && this.#others.length === 0) {
      // In order first, so that a short run has each.
      const way = ways[this.#failures % ways.length]
      await this.#untilAcknowledged(this.#options.calm, Infinity)
      this.#failures++
      const name = await way?.()
      this.#line.restore()
      const begun = performance.now()
      await this.#untilAcknowledged(1, this.#options.patienceMilliseconds)
      const took = Math.round(performance.now() - begun)
      this.#slowestRecovery = Math.max(this.#slowestRecovery, took)
      this.#options.log(`${name}, back after ${took} ms, ${this.record.acknowledged} acknowledged`)
    }
  }

  /** Until the daemon knows and for a while after, or so short that it does not get to know. */
  async #swallow(): Promise<string> {
    this.#line.swallow()
    const begun = performance.now()
    const isShort = this.#failures % 2 === 0
    const give = begun + this.#options.patienceMilliseconds
    if (isShort) await sleep(500 + this.random.below(2000))
    else while ((await this.server())?.away_since === null && performance.now() < give) await sleep(20)
    if (!isShort) await sleep(this.random.below(this.#options.longestMilliseconds))
    return `swallowed for ${Math.round(performance.now() - begun)} ms`
  }

  async #reset(): Promise<string> {
    for (let times = 1 + this.random.below(5); times > 0; times--) {
      this.#line.reset()
      await sleep(this.random.below(200))
    }
    return 'reset'
  }

  async #delay(): Promise<string> {
    const late = 20 + this.random.below(180)
    this.#line.delay(late)
    await sleep(1000 + this.random.below(2000))
    return `delayed by ${late} ms`
  }

  async #untilAcknowledged(more: number, patience: number): Promise<void> {
    const wanted = this.record.acknowledged + more
    const giveUp = performance.now() + patience
    while (this.record.acknowledged < wanted) {
      if (performance.now() > giveUp)
        return void this.#others.push(`away: no change was acknowledged in ${patience} ms`)
      await sleep(10)
    }
  }

  async #check(): Promise<void> {
    const raw = new Client({ connectionString: this.#url })
    await raw.connect()
    const rows = async (sql: string) => (await raw.query<Row>(sql)).rows
    await new CrashCheck().run({ rows, files: this.files, record: this.record })
    await raw.end()
  }

  #report(hooks: SteadyHooks): BlackholeReport {
    const { record } = this
    const twice = [...hooks.notices].filter(([, times]) => times > 1)
    return {
      failures: this.#failures,
      acknowledged: record.acknowledged,
      repeated: record.repeated,
      hooks: hooks.took.length,
      hooksWhileOpen: hooks.tookWhileOpen.length,
      slowestHook: Math.round(slowestOf(hooks.took)),
      slowestHookWhileOpen: Math.round(slowestOf(hooks.tookWhileOpen)),
      medianHookWhileOpen: Math.round(medianOf(hooks.tookWhileOpen)),
      slowestRecovery: this.#slowestRecovery,
      violations: [
        ...record.violations.map(({ kind, detail }) => `${kind}: ${detail}`),
        ...this.#others,
        ...twice.map(([opening, times]) => `told: ${opening} was told ${times} times`),
      ],
    }
  }
}
