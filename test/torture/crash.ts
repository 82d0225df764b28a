import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectTo } from '../../src/cli/daemon/connect.ts'
import { reach } from '../../src/cli/daemon/reach.ts'
import type { Launch } from '../../src/cli/daemon/start.ts'
import { stopDaemon } from '../../src/cli/daemon/stop.ts'
import { findHome, type Home } from '../../src/daemon/home.ts'
import { claimHome, type Lock } from '../../src/daemon/lock.ts'
import type { RpcConnection } from '../../src/rpc/connect.ts'
import { User } from '../holdfast.ts'
import { Caller } from './crash-caller.ts'
import { filesIn, furnish, Gate, namedIn, pidOf, type Scene, tasksIn } from './scene.ts'
import { CrashCheck, lookAtCopy } from './crash-check.ts'
import { checkHooks, furnishWalk, HookCaller } from './crash-hooks.ts'
import { CrashRecord, type Violation } from './crash-record.ts'
import { checkOrder } from './order-check.ts'
import { Random } from './random.ts'

export interface CrashOptions {
  readonly kills: number
  readonly clients: number
  /** Clients that send only hooks. */
  readonly hookClients: number
  readonly seed: number
  /** The file that Node runs as the daemon. */
  readonly daemon: string
  readonly log: (line: string) => void
}

export interface CrashReport {
  readonly kills: number
  /** Kills before the daemon served. */
  readonly earlyKills: number
  readonly acknowledged: number
  readonly acknowledgedHooks: number
  /** Calls whose connection died before the answer. */
  readonly lost: number
  readonly repeated: number
  readonly checks: number
  readonly violations: readonly Violation[]
}

/** A home grows and is checked completely after each kill, so a new one replaces it. */
const KILLS_PER_HOME = 100

/** Kills the daemon again and again under constant calls, and checks the remains each time. */
export async function crashRun(options: CrashOptions): Promise<CrashReport> {
  const random = new Random(options.seed)
  const reports: CrashReport[] = []
  for (let left = options.kills; left > 0 && !reports.some(hasViolations); left -= KILLS_PER_HOME) {
    const stage = new Stage({ ...options, kills: Math.min(left, KILLS_PER_HOME) }, random)
    reports.push(await stage.run().finally(() => stage.remove()))
  }
  const sum = (count: (report: CrashReport) => number) => reports.reduce((all, one) => all + count(one), 0)
  return {
    kills: sum(({ kills }) => kills),
    earlyKills: sum(({ earlyKills }) => earlyKills),
    acknowledged: sum(({ acknowledged }) => acknowledged),
    acknowledgedHooks: sum(({ acknowledgedHooks }) => acknowledgedHooks),
    lost: sum(({ lost }) => lost),
    repeated: sum(({ repeated }) => repeated),
    checks: sum(({ checks }) => checks),
    violations: reports.flatMap(({ violations }) => violations),
  }
}

const hasViolations = ({ violations }: CrashReport) => violations.length > 0

/** One home with its daemon, its callers and its killer. */
class Stage implements Scene {
  readonly gate = new Gate()
  readonly record = new CrashRecord()
  readonly random: Random
  readonly tasks: readonly string[]
  readonly files: readonly string[]
  readonly home: Home
  readonly checkout: string
  isOver = false
  readonly #options: CrashOptions
  readonly #user = new User()
  readonly #launch: Launch
  readonly #check = new CrashCheck()
  #everybodyStarts = false
  #first: Promise<void> | undefined
  #startMilliseconds = 0
  #serving: number | undefined
  #counts = { kills: 0, earlyKills: 0, checks: 0 }

  constructor(options: CrashOptions, random: Random) {
    this.#options = options
    this.random = random
    const { project, env } = this.#user
    this.tasks = tasksIn(project)
    this.files = filesIn(project)
    this.home = findHome(env)
    this.checkout = join(project, 'checkout')
    this.#launch = { home: this.home, entry: options.daemon, env }
  }

  async run(): Promise<CrashReport> {
    process.on('exit', this.#leave)
    await this.#prepare()
    const { clients, hookClients } = this.#options
    const callers = [
      ...Array.from({ length: clients }, (_, index) => new Caller(this, `c${index}`)),
      ...Array.from({ length: hookClients }, (_, index) => new HookCaller(this, `h${index}`)),
    ]
    const working = Promise.all(callers.map((caller) => caller.run()))
    // A failure must end the run at once.
    await Promise.race([working, this.#killAll()])
    await this.#finish(working)
    const { lost, repeated, acknowledged, acknowledgedHooks, violations } = this.record
    return { ...this.#counts, lost, repeated, acknowledged, acknowledgedHooks, violations }
  }

  /** The first caller starts the daemon for all, or every caller tries. */
  async connect(): Promise<RpcConnection> {
    if (!this.#everybodyStarts) await (this.#first ??= this.#reachOnce())
    return await reach(this.#launch)
  }

  async remove(): Promise<void> {
    await this.#user[Symbol.asyncDispose]()
    process.off('exit', this.#leave)
  }

  /** An interrupted run leaves nothing behind either. */
  readonly #leave = () => {
    if (this.#serving !== undefined) process.kill(this.#serving, 'SIGKILL')
    rmSync(this.#user.folder, { recursive: true, force: true })
  }

  async #reachOnce(): Promise<void> {
    const connection = await reach(this.#launch)
    connection.close()
  }

  async #prepare(): Promise<void> {
    furnishWalk(this.checkout)
    await this.#reachOnce()
    // A daemon that stops by itself keeps the compile cache.
    await stopDaemon(this.home)
    const begun = Date.now()
    const connection = await reach(this.#launch)
    this.#startMilliseconds = Date.now() - begun
    const { project } = this.#user
    await furnish((method, params) => connection.call(method, params), { project, tasks: this.tasks })
    connection.close()
    // A clean stop saves the scene, which is not under test.
    await stopDaemon(this.home)
  }

  get #everybody(): number {
    return this.#options.clients + this.#options.hookClients
  }

  async #killAll(): Promise<void> {
    const { kills, log } = this.#options
    for (let turn = 1; this.#counts.kills < kills && this.record.violations.length === 0; turn++) {
      this.#open(this.random.chance(0.1))
      const pid = await this.#whoServes()
      if (turn % 2 === 0) await this.#untilTaken()
      await this.#kill(pid)
      await this.#look()
      if (this.random.chance(0.25)) await this.#crashInRecovery(1 + this.random.below(4))
      if (turn % 10 === 0)
        log(
          `${this.#counts.kills} kills, ${this.record.acknowledged} acknowledged, ${this.record.lost} lost, ${this.record.acknowledgedHooks} hooks acknowledged`,
        )
    }
  }

  #open(everybodyStarts: boolean): void {
    this.#everybodyStarts = everybodyStarts
    this.#first = undefined
    this.gate.open()
  }

  async #whoServes(): Promise<number> {
    for (;;) {
      const connection = await this.connect()
      this.#serving = await pidOf(connection)
      connection.close()
      if (this.#serving !== undefined) return this.#serving
    }
  }

  /** On a busy machine an early kill meets no answer yet, and the port of hooks opens after the socket. */
  async #untilTaken(): Promise<void> {
    const { clients, hookClients } = this.#options
    const calls = this.record.acknowledged + clients
    const hooks = this.record.acknowledgedHooks + hookClients
    while (this.record.acknowledged < calls || this.record.acknowledgedHooks < hooks) await sleep(5)
  }

  /** At once, during the first calls, or when all callers work. */
  async #kill(pid: number): Promise<void> {
    const longest = this.random.pick([0, 50, 400, 800]) ?? 0
    await sleep(this.random.next() * longest)
    process.kill(pid, 'SIGKILL')
    this.#serving = undefined
    this.gate.close()
    this.#counts.kills++
  }

  /** When every caller has noticed and no daemon runs, the disk is as the crash left it. */
  async #look(): Promise<void> {
    while (this.gate.waiting < this.#everybody) await sleep(2)
    const lock = await this.#becomeTheDaemon()
    try {
      const { files, record } = this
      const { database } = this.home
      const scratch = join(this.#user.folder, 'scratch')
      await lookAtCopy({ database, scratch, record }, async (rows) => {
        await this.#check.run({ rows, files, record })
        await checkHooks(rows, record)
      })
      this.#counts.checks++
    } finally {
      lock.release()
    }
  }

  /** A caller may have started another daemon at the moment of the kill, which then dies too. */
  async #becomeTheDaemon(): Promise<Lock> {
    for (;;) {
      const lock = claimHome(this.home)
      if (lock !== undefined) return lock
      const connection = await connectTo(this.home)
      const pid = connection === undefined ? undefined : await pidOf(connection)
      connection?.close()
      if (pid === undefined) await sleep(10)
      else {
        process.kill(pid, 'SIGKILL')
        this.#counts.kills++
      }
    }
  }

  /** Daemons that die during their start, one after the other, each on the remains of the last. */
  async #crashInRecovery(times: number): Promise<void> {
    const { entry, env } = this.#launch
    for (let time = 0; time < times; time++) {
      const child = spawn(process.execPath, [entry, 'daemon', 'run'], { env, cwd: '/', stdio: 'ignore' })
      await sleep(this.random.next() * this.#startMilliseconds * 1.2)
      child.kill('SIGKILL')
      await once(child, 'exit')
      this.#counts.earlyKills++
    }
    await this.#look()
  }

  /** Every caller gets its missing answers, and then every change must exist once. */
  async #finish(working: Promise<unknown>): Promise<void> {
    this.isOver = true
    this.#open(false)
    await working
    await stopDaemon(this.home)
    this.gate.waiting = this.#everybody
    await this.#look()
    checkOrder(this.record, this.files, this.tasks.map(namedIn))
  }
}
