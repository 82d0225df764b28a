import { join } from 'node:path'
import { ConnectionLost, type RpcConnection } from '../../src/rpc/connect.ts'
import type { CrashRecord } from './crash-record.ts'
import type { Random } from './random.ts'

/** The skill of the efforts that callers start. */
export const SKILL = 'endure'

/** Its phases, as callers name them. */
export const PHASES = ['1: Plan', '2: Build', '3: Test', '4: Ship']

/** Where callers wait while the daemon is dead and its remains are checked. */
export class Gate {
  #opening = Promise.withResolvers<void>()
  isOpen = false
  waiting = 0

  open(): void {
    this.isOpen = true
    this.#opening.resolve()
  }

  close(): void {
    this.isOpen = false
    this.#opening = Promise.withResolvers<void>()
  }

  async pass(): Promise<void> {
    while (!this.isOpen) {
      this.waiting++
      await this.#opening.promise
      this.waiting--
    }
  }
}

/** The shared state of all callers. */
export interface Scene {
  readonly gate: Gate
  readonly record: CrashRecord
  readonly random: Random
  readonly tasks: readonly string[]
  readonly files: readonly string[]
  connect(): Promise<Pick<RpcConnection, 'call' | 'close'>>
  readonly isOver: boolean
  /** The database may be away, so a call may fail and be repeated later. */
  readonly mayBeAway?: boolean
}

/** A task whose title changes; those of a landed database must stay as they were. */
export const namedIn = (task: string): string => join(task, 'named')

/** The tasks of a project that callers work in. */
export const tasksIn = (project: string): readonly string[] =>
  ['a', 'b', 'c'].map((name) => join(project, name))

/** The files of a project that callers append to. */
export const filesIn = (project: string): readonly string[] =>
  ['one.txt', 'two.txt'].map((name) => join(project, name))

interface Furnished {
  readonly project: string
  readonly tasks: readonly string[]
}

type Ask = (method: string, params: Readonly<Record<string, unknown>>) => Promise<unknown>

/** Makes the project, its skill and its tasks, before the callers come. */
export async function furnish(ask: Ask, { project, tasks }: Furnished): Promise<void> {
  const { id } = (await ask('db.project.upsert', { path: project })) as { id: number }
  const phases = PHASES.map((phase) => phase.split(': ')).map(([label, name]) => ({ label, name }))
  await ask('db.skills.upsert', { project_id: id, name: SKILL, phases })
  for (const task of tasks) await ask('db.task.upsert', { dir_path: task })
}

/** The process of the daemon; undefined if it has died. */
export async function pidOf(connection: Pick<RpcConnection, 'call'>): Promise<number | undefined> {
  try {
    return ((await connection.call('daemon.status')) as { pid: number }).pid
  } catch (error) {
    if (error instanceof ConnectionLost) return undefined
    throw error
  }
}
