import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { findHome } from '../../src/daemon/home.ts'
import type { User } from '../holdfast.ts'
import { Caller } from './crash-caller.ts'
import { filesIn, furnish, Gate, type Scene, SKILL, tasksIn } from './scene.ts'
import type { CrashRecord, MadeCall } from './crash-record.ts'
import type { Recorded } from './disk.ts'
import type { Promised } from './promised-files.ts'
import type { Random } from './random.ts'
import { ended, readTrace, recording, untilServing } from './strace.ts'
import { ToldConnection } from './told-connection.ts'

interface Life {
  readonly user: User
  readonly daemon: string
  readonly record: CrashRecord
  /** The files that each call promises, by its key. */
  readonly promised: Map<string, readonly Promised[]>
  readonly random: Random
  readonly life: number
  readonly calls: number
  readonly end: 'SIGTERM' | 'SIGKILL'
  /** The first step of the recording. */
  readonly first: number
}

const CALLERS = 4

/** One daemon from its start to its end, with all operations on its files and all answers. */
export async function recordLife(options: Life): Promise<readonly Recorded[]> {
  const { user, daemon, end, first } = options
  const trace = `${user.folder}.trace`
  const child = recording({ words: [process.execPath, daemon, 'daemon', 'run'], env: user.env, trace })
  const { connection, pid } = (await untilServing(child, findHome(user.env))) ?? {}
  connection?.close()
  if (pid === undefined) throw new Error('The daemon did not start.')
  const kill = () => process.kill(pid, 'SIGKILL')
  process.on('exit', kill)
  try {
    await work(options)
    process.kill(pid, end)
    await ended(child)
    return readTrace(trace, first)
  } finally {
    process.off('exit', kill)
    rmSync(trace, { force: true })
  }
}

type Answer = Readonly<Record<string, unknown>>

/** Callers that change the database, and one whose calls write files and folders. */
async function work(options: Life): Promise<void> {
  const { user, record, random, life, calls } = options
  const { socket } = findHome(user.env)
  const before = record.acknowledged
  const gate = new Gate()
  gate.open()
  const scene: Scene = {
    gate,
    record,
    random,
    tasks: tasksIn(user.project),
    files: filesIn(user.project),
    connect: () => ToldConnection.open(socket),
    get isOver() {
      return record.acknowledged - before >= calls
    },
  }
  const writer = new Writer(options, await ToldConnection.open(socket))
  await writer.prepare(scene.tasks)
  const callers = Array.from({ length: CALLERS }, (_, index) => new Caller(scene, `c${life}-${index}`).run())
  await Promise.all([...callers, writer.run(scene)])
  for (const { key, method, params, answer } of record.calls.values())
    if (answer !== undefined && method === 'fs.files.append')
      options.promised.set(key, [{ key, path: String(params['path']), has: String(params['content']) }])
}

class Writer {
  readonly #options: Life
  readonly #connection: ToldConnection
  #made = 0

  constructor(options: Life, connection: ToldConnection) {
    this.#options = options
    this.#connection = connection
  }

  async prepare(tasks: readonly string[]): Promise<void> {
    const { project } = this.#options.user
    await furnish((method, params) => this.#call(method, params), { project, tasks })
    await this.#hook('SessionStart', { source: 'startup' })
  }

  async run(scene: Scene): Promise<void> {
    while (!scene.isOver) {
      await this.#log()
      await this.#publish()
    }
    this.#connection.close()
  }

  /** The log of an effort, in folders that do not exist yet. */
  async #log(): Promise<void> {
    const { user, promised } = this.#options
    const key = this.#newKey()
    const task = join(user.project, 'work', key, 'deep')
    await this.#call('db.task.upsert', { dir_path: task })
    const effort = await this.#call(
      'db.effort.start',
      { task_id: task, skill: SKILL, metadata: { key } },
      key,
    )
    const logged = this.#newKey()
    const answer = await this.#call('commands.log.append', { effort_id: effort['id'], text: logged }, logged)
    promised.set(logged, [{ key: logged, path: String(answer['path']), has: logged }])
  }

  /** A run of a skill, its result and its report. */
  async #publish(): Promise<void> {
    const { user, promised } = this.#options
    const key = await this.#hook('UserPromptSubmit', { prompt: `/research ${this.#newKey()}` })
    const runs = (await this.#connection.call('run.list', { path: user.project })) as readonly Answer[]
    const newest = runs.toSorted((a, b) => Number(b['id']) - Number(a['id']))[0]
    const path = String(newest?.['path'])
    promised.set(key, [
      { key, path: join(path, 'outputs') },
      { key, path: join(path, 'context.md'), has: 'research' },
    ])
    await this.#call('fs.files.append', { path: join(path, 'synthesis.md'), content: `# Found ${key}\n` })
    const told = this.#newKey()
    const report = await this.#call('run.publish', { run: String(newest?.['id']), path: user.project }, told)
    promised.set(told, [{ key: told, path: String(report['report']), has: key }])
  }

  /** Answers of hooks are not compared, so they are not recorded as calls. */
  async #hook(name: string, more: object): Promise<string> {
    const key = this.#newKey()
    const payload = { session_id: `s${this.#options.life}`, cwd: this.#options.user.project, ...more }
    const params = { payload: { ...payload, hook_event_name: name }, idempotency_key: key }
    await this.#connection.call('hooks.handle', params)
    return key
  }

  async #call(method: string, params: Answer, key = this.#newKey()): Promise<Answer> {
    const call: MadeCall = { key, method, params }
    this.#options.record.calls.set(key, call)
    const value = (await this.#connection.call(method, { ...params, idempotency_key: key })) as Answer
    call.answer = { value }
    return value
  }

  #newKey(): string {
    return `w${this.#options.life}-${++this.#made}`
  }
}
