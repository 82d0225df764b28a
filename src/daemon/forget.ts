import { existsSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { dirname } from 'node:path'
import type { Forgetting, ForgettingStatus } from '../engine/call/context.ts'
import { tellForgotten } from '../engine/session/forget-targets.ts'
import { place, sync } from '../files/place.ts'
import { timestamp } from '../model/clock.ts'
import { EngineError } from '../model/error.ts'
import { type Forgotten, NOTHING } from '../store/forget.ts'
import { forgetIn, type Targets } from '../store/forget-all.ts'
import { queryOf } from '../store/query.ts'
import type { Store } from '../store/store.ts'
import { listBackups } from './backups.ts'
import { clock } from './clock.ts'
import { erase } from './erase-thread.ts'
import type { Home } from './home.ts'
import { errorDetails, type Log, oldLogs } from './log.ts'
import { copyDatabase, damageOf } from './snapshot.ts'
import { writeWhole } from './write-whole.ts'

interface ForgetterParts {
  readonly home: Home
  readonly log: Log
  readonly store: Store
  readonly newId: () => string
  /** Resolves when the index has ended what is under way; whether there was something. */
  readonly indexed: () => Promise<boolean>
}

/** Forgets: first the rows, then what is left of them in the files of the home. */
export class Forgetter implements Forgetting {
  readonly #parts: ForgetterParts
  readonly #stopped = new AbortController()
  #running: Promise<void> | undefined
  #status: ForgettingStatus | undefined

  constructor(parts: ForgetterParts) {
    this.#parts = parts
  }

  /** What is under way, or how the last one ended. */
  status(): ForgettingStatus | undefined {
    return this.#status
  }

  /** Counts what would be forgotten. */
  async count(targets: Targets): Promise<Forgotten> {
    const { store } = this.#parts
    await store.flush()
    return await forgetIn(this.#transact, { targets, dryRun: true, stopping: this.#stopped.signal })
  }

  /** Resolves when the rows are gone; the files follow in the background. */
  async forget(targets: Targets): Promise<Forgotten> {
    if (this.#running !== undefined || existsSync(this.#parts.home.forgetting))
      throw new EngineError('conflict', 'Something else is being forgotten.', {
        hint: 'holdfast forget --status',
      })
    // From here on, the next start goes on after a crash.
    writeWhole(this.#parts.home.forgetting, `${JSON.stringify(targets)}\n`)
    const rows = Promise.withResolvers<Forgotten>()
    this.#begin(targets, false, rows)
    return await rows.promise
  }

  /** Goes on with what a crash, or a failure such as a full disk, has interrupted. */
  resume(): boolean {
    const path = this.#parts.home.forgetting
    if (this.#running !== undefined || !existsSync(path)) return this.#running !== undefined
    const targets = JSON.parse(readFileSync(path, 'utf8')) as Targets
    this.#parts.log.write('info', 'forgetting resumed')
    const rows = Promise.withResolvers<Forgotten>()
    rows.promise.catch(() => undefined)
    this.#begin(targets, true, rows)
    return true
  }

  async close(): Promise<void> {
    this.#stopped.abort()
    await this.#running
  }

  #begin(targets: Targets, isResumed: boolean, rows: PromiseWithResolvers<Forgotten>): void {
    this.#note({ step: 'rows', share: 0, is_resumed: isResumed, problem: null })
    this.#running = this.#run(targets, rows)
      .then(() => this.#note({ step: 'done', share: 1 }))
      .catch((error: unknown) => {
        rows.reject(error)
        const problem = error instanceof Error ? error.message : String(error)
        this.#note({ step: 'failed', problem })
        if (!this.#stopped.signal.aborted)
          this.#parts.log.write('error', 'not forgotten', errorDetails(error))
      })
      .finally(() => void (this.#running = undefined))
  }

  async #run(targets: Targets, rows: PromiseWithResolvers<Forgotten>): Promise<void> {
    const { home, log, store, indexed } = this.#parts
    const stopping = this.#stopped.signal
    await store.flush()
    const onProgress = (share: number) => this.#note({ share })
    const result = await forgetIn(this.#transact, { targets, stopping, onProgress })
    // The index may have put pieces back that it had read before.
    if (await indexed()) await forgetIn(this.#transact, { targets, stopping })
    await this.#dropVolatile()
    if (JSON.stringify(result) !== JSON.stringify(NOTHING)) await this.#tell(result)
    rows.resolve(result)
    if (!home.isPostgres) {
      this.#note({ step: 'database', share: 0 })
      await store.database.files?.rewrite(() => erase({ database: home.database }))
      await this.#eraseBackups(targets)
    }
    emptyLogs(home)
    rmSync(home.forgetting, { force: true })
    // The line before it is gone with the log.
    log.write('info', 'forgotten', { ...result, resumed: this.#status?.is_resumed ?? false })
  }

  async #eraseBackups(targets: Targets): Promise<void> {
    const all = listBackups(this.#parts.home)
    for (const [at, { path }] of all.entries()) {
      this.#stopped.signal.throwIfAborted()
      this.#note({ step: 'backups', share: at / all.length })
      await eraseBackup(path, targets)
    }
  }

  /** Another window of a session may have opened meanwhile; what it left in memory has no row any more. */
  async #dropVolatile(): Promise<void> {
    const { store } = this.#parts
    const { volatile } = store
    volatile.openWindows.invalidate()
    const waiting = volatile.waiting()
    if (waiting.length === 0) return
    const rows = await store.transact(
      (tx) => queryOf(tx, (db) => db.selectFrom('sessions').select('id').where('id', 'in', waiting)),
      { reads: true },
    )
    const known = new Set(rows.map(({ id }) => id))
    for (const id of waiting) if (!known.has(id)) volatile.forget(id)
  }

  async #tell(result: Forgotten): Promise<void> {
    const at = { id: this.#parts.newId(), now: timestamp(clock.now()) }
    await this.#parts.store.transact((tx) => tellForgotten(tx, result, at))
  }

  readonly #transact = <T>(run: Parameters<Store['transact']>[0]): Promise<T> =>
    this.#parts.store.transact(run, { patient: true }) as Promise<T>

  #note(news: Partial<ForgettingStatus>): void {
    const before = this.#status ?? { step: 'rows', share: 0, is_resumed: false, problem: null }
    this.#status = { ...before, ...news }
  }
}

/** Writes a backup anew without the targets, and puts it in place when it is checked. */
async function eraseBackup(path: string, targets: Targets): Promise<void> {
  if (existsSync(`${path}-wal`)) settleLog(path)
  await place(path, async (fresh) => {
    await writeFile(fresh, '', { mode: 0o600, flag: 'wx' })
    await copyDatabase({ from: path, state: 'still', to: fresh })
    await erase({ database: fresh, targets })
    const damage = await damageOf(fresh)
    if (damage !== undefined)
      throw new EngineError('unavailable', `${path} has no intact copy: ${damage}.`, {
        hint: 'holdfast backups',
      })
    await chmod(fresh, 0o600)
    await sync(fresh)
  })
  await sync(dirname(path))
}

/** Moves the log of a replaced database into it; beside a new file, it would damage that one. */
function settleLog(path: string): void {
  using db = new DatabaseSync(path)
  db.exec('pragma wal_checkpoint(truncate)')
}

/** A log may quote anything, so all that it says is removed. */
function emptyLogs({ log }: Home): void {
  for (const old of oldLogs(log)) rmSync(old, { force: true })
  if (existsSync(log)) truncateSync(log)
}
