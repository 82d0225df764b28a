import { execFile } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import about from '../../package.json' with { type: 'json' }
import { reach } from '../../src/cli/daemon/reach.ts'
import { stopDaemon } from '../../src/cli/daemon/stop.ts'
import { findHome, type Home } from '../../src/daemon/home.ts'
import type { DaemonStatus } from '../../src/engine/call/context.ts'
import type { RpcConnection } from '../../src/rpc/connect.ts'
import type { Landed } from '../landed/landed.ts'
import { programs } from '../holdfast.ts'
import { Caller } from './crash-caller.ts'
import { filesIn, furnish, Gate, type Scene, tasksIn } from './scene.ts'
import { CrashCheck, lookAtCopy, type Rows } from './crash-check.ts'
import { CrashRecord } from './crash-record.ts'
import { Random } from './random.ts'
import { HookCallers, type RouteReport } from './upgrade-hooks.ts'

export interface UpgradeOptions {
  readonly upgrades: number
  readonly clients: number
  readonly seed: number
  readonly log: (line: string) => void
  /** The initial data of an older program; without it the home is new. */
  readonly landed?: Landed
}

export interface UpgradeReport {
  readonly upgrades: number
  readonly acknowledged: number
  /** Calls whose connection ended before their answer, and which were repeated. */
  readonly lost: number
  /** The longest wait for an answer over the socket. */
  readonly slowestMilliseconds: number
  readonly hooks: Readonly<Record<string, RouteReport & { readonly unheard: number }>>
  readonly violations: readonly string[]
}

const run = promisify(execFile)

/** A copy of the package, as npm would replace one with another. */
export class Package {
  readonly entry: string
  /** Files that only a daemon loads. */
  readonly daemon: string
  /** The files that say the version, the one of the daemon first. */
  readonly #saying: readonly string[]
  #version: string = about.version

  constructor(folder: string) {
    if (programs === undefined) {
      mkdirSync(folder)
      for (const part of ['src', 'package.json'])
        cpSync(resolve(part), join(folder, part), { recursive: true })
      symlinkSync(realpathSync(resolve('node_modules')), join(folder, 'node_modules'))
    } else cpSync(programs, folder, { recursive: true })
    const fileOf = (source: string, program: string) =>
      join(folder, programs === undefined ? source : program)
    this.entry = fileOf('src/cli/main.ts', 'cli.cjs')
    this.daemon = fileOf('src/daemon/main.ts', 'daemon.cjs')
    const others = programs === undefined ? ['package.json'] : readdirSync(folder)
    const files = others.filter((name) => /\.(cjs|json)$/.test(name)).map((name) => join(folder, name))
    this.#saying = [...new Set([this.daemon, ...files])].filter((file) => this.#says(file))
  }

  become(version: string): void {
    // The daemon first, because a command of the new version starts one at once.
    for (const file of this.#saying) {
      const text = readFileSync(file, 'utf8')
      writeFileSync(`${file}.new`, text.replace(`: "${this.#version}"`, `: "${version}"`))
      renameSync(`${file}.new`, file)
    }
    this.#version = version
  }

  #says(file: string): boolean {
    return readFileSync(file, 'utf8').includes(`: "${this.#version}"`)
  }
}

/** Upgrades the daemon again and again under constant calls, and checks the calls. */
export async function upgradeRun(options: UpgradeOptions): Promise<UpgradeReport> {
  const stage = new Stage(options)
  return await stage.run().finally(() => stage.remove())
}

class Stage implements Scene {
  readonly gate = new Gate()
  readonly record = new CrashRecord()
  readonly random: Random
  readonly tasks: readonly string[]
  readonly files: readonly string[]
  readonly entry: string
  readonly env: Readonly<Record<string, string>>
  readonly home: Home
  readonly project: string
  isOver = false
  readonly #options: UpgradeOptions
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-upgrade-')))
  readonly #package = new Package(join(this.folder, 'package'))

  constructor(options: UpgradeOptions) {
    this.#options = options
    this.random = new Random(options.seed)
    this.project = join(this.folder, 'project')
    mkdirSync(this.project)
    this.tasks = tasksIn(this.project)
    this.files = filesIn(this.project)
    this.entry = this.#package.entry
    this.env = {
      PATH: process.env['PATH'] ?? '',
      HOME: this.folder,
      CLAUDE_CONFIG_DIR: join(this.folder, '.claude'),
      HOLDFAST_HOME: join(this.folder, 'home'),
      NODE_COMPILE_CACHE: join(this.folder, 'cache'),
      ...options.landed?.env,
    }
    this.home = findHome(this.env)
  }

  async run(): Promise<UpgradeReport> {
    const { clients, upgrades, landed, log } = this.#options
    await (landed === undefined ? this.#prepare() : landed.put(this))
    this.gate.open()
    const hooks = new HookCallers(this)
    const hookClients = Math.floor(clients / 4)
    const callers = Array.from({ length: clients - hookClients }, (_, index) => new Caller(this, `c${index}`))
    const calling = Promise.all(callers.map((caller) => caller.run()))
    // A failure must end the run at once.
    const before = (await Promise.race([calling, this.#untilListening()])) as DaemonStatus
    const working = Promise.all([calling, hooks.run(hookClients)])
    await Promise.race([working, this.#upgradeAll()])
    this.isOver = true
    await working
    const after = await this.#status()
    if (after.http.port !== before.http.port) this.record.report('error', 'the port is another one')
    await stopDaemon(this.home)
    const { record } = this
    const unheard = new Map<string, number>()
    await this.#look((rows) => this.#check(rows, hooks, unheard))
    await landed?.goesOn(this)
    for (const [route, { refused }] of Object.entries(hooks.reports))
      if (refused > 0) record.report('error', `${refused} hooks by ${route} found the door shut`)
    log(`${record.acknowledged} acknowledged`)
    return {
      upgrades,
      acknowledged: record.acknowledged,
      lost: record.lost,
      slowestMilliseconds: Math.round(record.slowestMilliseconds),
      hooks: Object.fromEntries(
        Object.entries(hooks.reports).map(([route, report]) => [
          route,
          {
            ...report,
            slowestMilliseconds: Math.round(report.slowestMilliseconds),
            unheard: unheard.get(route) ?? 0,
          },
        ]),
      ),
      violations: record.violations.map(({ kind, detail }) => `${kind}: ${detail}`),
    }
  }

  async connect(): Promise<RpcConnection> {
    return await reach({ home: this.home, entry: this.entry, env: this.env })
  }

  async remove(): Promise<void> {
    await stopDaemon(this.home).catch(() => undefined)
    rmSync(this.folder, { recursive: true, force: true })
  }

  async #prepare(): Promise<void> {
    this.#package.become('1.0.0')
    await this.#holdfast(['daemon', 'start'])
    const connection = await this.connect()
    await furnish((method, params) => connection.call(method, params), this)
    connection.close()
  }

  /** Its HTTP port opens a moment after its socket. */
  async #untilListening(): Promise<DaemonStatus> {
    for (;;) {
      const status = await this.#status()
      if (status.http.listening) return status
    }
  }

  /** Any first command of a version starts its daemon. */
  async #upgradeAll(): Promise<void> {
    const { upgrades, log } = this.#options
    for (let count = 1; count <= upgrades && this.record.violations.length === 0; count++) {
      await sleep(this.random.below(300))
      this.#package.become(`1.0.${count}`)
      const begun = performance.now()
      const { version } = await this.#holdfast<{ version: string }>(['rpc', 'daemon.ping'])
      if (version !== `1.0.${count}`) this.record.report('error', `1.0.${count} was answered by ${version}`)
      log(`upgrade ${count} in ${Math.round(performance.now() - begun)} ms`)
    }
  }

  async #holdfast<T>(words: readonly string[]): Promise<T> {
    const { stdout } = await run(process.execPath, [this.entry, '--json', ...words], {
      env: this.env,
      cwd: '/',
    })
    return JSON.parse(stdout) as T
  }

  async #status(): Promise<DaemonStatus> {
    return await this.#holdfast<DaemonStatus>(['rpc', 'daemon.status'])
  }

  /** For either database; no daemon runs. */
  async #look(look: (rows: Rows) => Promise<void>): Promise<void> {
    const { record, home } = this
    const { landed } = this.#options
    if (landed !== undefined) return await landed.look(this, look)
    await lookAtCopy({ database: home.database, scratch: join(this.folder, 'scratch'), record }, look)
  }

  async #check(rows: Rows, hooks: HookCallers, unheard: Map<string, number>): Promise<void> {
    const { record, files } = this
    const { landed } = this.#options
    await new CrashCheck().run({ rows, files, record, before: landed?.before })
    await this.#checkHooks(rows, hooks, unheard)
    await landed?.check(rows, record)
  }

  /** Every acknowledged hook is stored once; counts the lost hooks by route. */
  async #checkHooks(rows: Rows, hooks: HookCallers, unheard: Map<string, number>): Promise<void> {
    const found = await rows(
      'select native_id, count(*) as n from sessions where client is not null group by native_id',
    )
    const stored = new Map(found.map(({ native_id: session, n }) => [String(session), Number(n)]))
    for (const [session, times] of stored)
      if (times > 1) this.record.report('duplicate', `${session} was stored ${times} times`)
    for (const [session, { route, isAcknowledged }] of hooks.sent) {
      if (stored.has(session)) continue
      unheard.set(route, (unheard.get(route) ?? 0) + 1)
      if (isAcknowledged && route !== 'pipe') this.record.report('lost', `the hook of ${session} by ${route}`)
    }
  }
}
