import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findHome } from '../../src/daemon/home.ts'
import { ConnectionLost, RemoteError, type RpcConnection } from '../../src/rpc/connect.ts'
import { User } from '../holdfast.ts'
import { CrashCheck, lookAtCopy } from './crash-check.ts'
import { CrashRecord, type MadeCall, type Violation } from './crash-record.ts'
import type { Random } from './random.ts'
import { ended, failing, hasEnded, untilServing } from './strace.ts'

/** A system call that fails. */
export interface Fault {
  readonly call: 'fsync' | 'pwrite64' | 'ftruncate' | 'openat'
  readonly error: 'EIO' | 'ENOSPC' | 'EDQUOT' | 'EROFS'
  /** The first call that fails, counted by thread. */
  readonly when: number
  readonly forever: boolean
  /** Only for the file that callers append to, where every sync fails. */
  readonly onFile?: boolean
}

export interface FaultOptions {
  readonly faults: readonly Fault[]
  readonly daemon: string
  readonly env?: Readonly<Record<string, string>>
  readonly log: (line: string) => void
}

export interface FaultReport {
  readonly faults: number
  /** Daemons that did not start or ended by themselves. */
  readonly exits: number
  /** Daemons in which a call of the system failed. */
  readonly injected: number
  readonly acknowledged: number
  readonly errors: Readonly<Record<string, number>>
  readonly violations: readonly Violation[]
}

/** Any of the faults, more of them early, where a daemon starts. */
export const randomFaults = (count: number, random: Random): readonly Fault[] =>
  Array.from({ length: count }, () => {
    const call = random.pick(['fsync', 'fsync', 'pwrite64', 'ftruncate', 'openat'] as const) ?? 'fsync'
    const error = random.pick(['EIO', 'ENOSPC', 'EDQUOT', 'EROFS'] as const) ?? 'EIO'
    const most = call === 'openat' ? 150 : call === 'ftruncate' ? 4 : 60
    return { call, error, when: 1 + random.below(most), forever: random.chance(0.5) }
  })

const CALLS = 30
const ALLOWED = new Set(['unavailable', 'storage-full'])

/** Lets system calls of daemons fail, one daemon per fault, and compares the files with the answers each time. */
export async function faultRun(options: FaultOptions): Promise<FaultReport> {
  await using user = new User(options.env ?? {})
  const stage = new Stage(options, user)
  await stage.life(undefined, (connection) => connection.call('db.project.upsert', { path: user.project }))
  for (const fault of options.faults) {
    await stage.under(fault)
    if (stage.record.violations.length > 0) break
  }
  await stage.repeat()
  return stage.report
}

class Stage {
  readonly record = new CrashRecord()
  readonly #options: FaultOptions
  readonly #user: User
  readonly #file: string
  readonly #check = new CrashCheck()
  readonly #errors: Record<string, number> = {}
  #made = 0
  #counts = { faults: 0, exits: 0, injected: 0 }

  constructor(options: FaultOptions, user: User) {
    this.#options = options
    this.#user = user
    this.#file = join(user.project, 'one.txt')
    writeFileSync(this.#file, '')
  }

  get report(): FaultReport {
    const { acknowledged, violations } = this.record
    return { ...this.#counts, acknowledged, errors: this.#errors, violations }
  }

  async under(fault: Fault): Promise<void> {
    this.#counts.faults++
    const name = JSON.stringify(fault)
    const before = this.record.acknowledged
    let isServed = false
    const end = await this.life(fault, async (connection) => {
      isServed = true
      for (let count = 0; count < CALLS; count++) await this.#call(connection, this.#next(), name)
    })
    if (end.isGone) this.#counts.exits++
    if (end.isGone && (end.code === 0 || end.said === ''))
      this.record.report(
        'error',
        `${name}: the daemon ended with ${end.code} and said ${JSON.stringify(end.said)}`,
      )
    if (fault.onFile === true && isServed && this.#appendsSince(before) > 0)
      this.record.report(
        'lost',
        `${name}: ${this.#appendsSince(before)} texts were acknowledged without a sync`,
      )
    await this.#look()
    if (this.#counts.faults % 10 === 0) this.#options.log(JSON.stringify(this.report))
  }

  /** Every call without an answer is repeated with its key, by a daemon whose calls succeed. */
  async repeat(): Promise<void> {
    await this.life(undefined, async (connection) => {
      for (const call of this.record.calls.values())
        if (call.answer === undefined) await this.#call(connection, call, 'a sound disk')
    })
    for (const { key, answer } of this.record.calls.values())
      if (answer === undefined) this.record.report('error', `${key} never succeeds`)
    await this.#look()
  }

  /** A daemon from its start until it is killed, unless it ends before. */
  async life(fault: Fault | undefined, work: (connection: RpcConnection) => Promise<unknown>) {
    const { env, folder } = this.#user
    const words = [process.execPath, this.#options.daemon, 'daemon', 'run']
    const trace = `${folder}/trace`
    const child = failing(
      { words, env, trace },
      injectionOf(fault),
      fault?.onFile === true ? this.#file : undefined,
    )
    let said = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => void (said += text))
    const serving = await untilServing(child, findHome(env))
    if (serving !== undefined) {
      await work(serving.connection).catch((error: unknown) => {
        if (!(error instanceof ConnectionLost)) throw error
      })
      serving.connection.close()
    }
    const isGone = hasEnded(child)
    if (!isGone && serving?.pid !== undefined) process.kill(serving.pid, 'SIGKILL')
    const code = await ended(child)
    if (readFileSync(trace, 'utf8').includes('(INJECTED)')) this.#counts.injected++
    return { isGone, code, said }
  }

  #next(): MadeCall {
    const key = `k${++this.#made}`
    const [path, task] = [this.#file, join(this.#user.project, key)]
    return this.#made % 2 === 0
      ? { key, method: 'fs.files.append', params: { path, content: `${key}\n` } }
      : { key, method: 'db.task.upsert', params: { dir_path: task } }
  }

  async #call(connection: RpcConnection, call: MadeCall, during: string): Promise<void> {
    this.record.calls.set(call.key, call)
    try {
      const value = await connection.call(call.method, { ...call.params, idempotency_key: call.key })
      call.answer = { value: value as Readonly<Record<string, unknown>> }
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error
      const { code } = error.data as { code: string }
      this.#errors[code] = (this.#errors[code] ?? 0) + 1
      if (!ALLOWED.has(code))
        this.record.report(
          'error',
          `${call.key} (${call.method}) during ${during}: ${code}: ${error.message}`,
        )
    }
  }

  #appendsSince(before: number): number {
    const answered = [...this.record.calls.values()].filter(({ answer }) => answer !== undefined)
    return answered.slice(before).filter(({ method }) => method === 'fs.files.append').length
  }

  async #look(): Promise<void> {
    const { record } = this
    const { database } = findHome(this.#user.env)
    const scratch = join(this.#user.folder, 'scratch')
    await lookAtCopy({ database, scratch, record }, (rows) =>
      this.#check.run({ rows, files: [this.#file], record }),
    )
  }
}

function injectionOf(fault: Fault | undefined): string {
  if (fault === undefined) return 'fsync:delay_exit=0:when=1'
  const { call, error, when, forever } = fault
  return `${call}:error=${error}:when=${when}${forever ? '+' : ''}`
}
