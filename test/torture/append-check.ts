import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Client } from 'pg'
import { RUNS_FOLDER, runFiles, type SkillRun } from '../../src/model/skill-run.ts'
import type { CrashRecord, MadeCall } from './crash-record.ts'

interface Written {
  readonly path: string
  readonly offset: number
}

/** Compares files and stored answers with the answers that callers got; only while no call is under way. */
export class AppendCheck {
  readonly #database: Client
  readonly #record: CrashRecord

  constructor(database: Client, record: CrashRecord) {
    this.#database = database
    this.#record = record
  }

  async run(project: string): Promise<void> {
    const calls = [...this.#record.calls.values()]
    await this.#checkKeys(calls.filter(({ method }) => method !== 'hooks.handle'))
    const appends = calls.filter(({ method }) => method.endsWith('.append'))
    const byFile = Map.groupBy(appends, (call) => writtenBy(call).path)
    for (const [path, made] of byFile) this.#checkFile(path, made)
    await this.#checkRuns(project)
  }

  /** INV_ACK_IS_DURABLE: what is stored is what was answered. */
  async #checkKeys(calls: readonly MadeCall[]): Promise<void> {
    const { rows } = await this.#database.query<{ key: string; result: string }>(
      'select key, result from idempotency_keys where key = any($1)',
      [calls.map(({ key }) => key)],
    )
    const stored = new Map(rows.map(({ key, result }) => [key, result]))
    for (const { key, answer } of calls) {
      const result = stored.get(key)
      if (result === undefined) this.#record.report('lost', `${key} was acknowledged and is not stored`)
      else if (!isDeepStrictEqual(JSON.parse(result), answer?.value))
        this.#record.report('changed', `${key} is stored as ${result}`)
    }
  }

  /** The texts lie one after the other, each whole and once, where its answer says. */
  #checkFile(path: string, calls: readonly MadeCall[]): void {
    const bytes = readFileSync(path)
    const text = bytes.toString('utf8')
    const inOrder = calls.toSorted((a, b) => writtenBy(a).offset - writtenBy(b).offset)
    for (const [index, call] of inOrder.entries()) {
      const { key, method, params } = call
      const next = inOrder[index + 1]
      const { offset } = writtenBy(call)
      const there = bytes.toString('utf8', offset, next === undefined ? bytes.length : writtenBy(next).offset)
      const times = text.split(`${key}:`).length - 1
      if (times === 0) this.#record.report('lost', `${key} (${method}) is not in ${path}`)
      if (times > 1) this.#record.report('duplicate', `${key} (${method}) is ${times} times in ${path}`)
      const isWhole =
        method === 'fs.files.append'
          ? there === params['content']
          : there.includes(String(params['text'])) && /^#|^\n#/.test(there)
      if (times === 1 && !isWhole)
        this.#record.report('changed', `${key} (${method}) is not at ${offset}: ${there.slice(0, 200)}`)
    }
  }

  /** Each run has one folder, with its first files as they were made. */
  async #checkRuns(project: string): Promise<void> {
    const { rows } = await this.#database.query<SkillRun>('select * from skill_runs')
    for (const run of rows)
      for (const [name, content] of Object.entries(runFiles(run))) {
        const path = join(project, RUNS_FOLDER, run.name, name)
        const there = existsSync(path) ? readFileSync(path, 'utf8') : ''
        if (there === '') this.#record.report('lost', `${path} has no content`)
        else if (there !== content) this.#record.report('duplicate', `${path} holds ${there}`)
      }
  }
}

const writtenBy = ({ answer }: MadeCall): Written => answer?.value as unknown as Written
