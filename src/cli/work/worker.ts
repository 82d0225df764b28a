import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BodyView, WholeItem } from '../../engine/work/view.ts'
import { EngineError } from '../../model/error.ts'
import type { Remote } from '../daemon/remote.ts'
import type { Io } from '../frame/io.ts'
import { beginIntegration, type Branches, rootOf, type Worktree } from './branches.ts'
import { type TryEnd, tryItem } from './item-try.ts'

/** The options of a worker process. */
export interface Wanted {
  readonly worker: string
  readonly effort_id: number
  readonly command: string
  /** How long one try may take. */
  readonly minutes: number
  /** Seconds of its leases. */
  readonly lease: number
}

export const USUAL_MINUTES = 60

interface Beat {
  readonly stop_asked: boolean
}

const IDLE_MILLISECONDS = 500
/** A worker that is asked to stop hears of it with its next sign of life. */
const LONGEST_SILENCE_MILLISECONDS = 5000

/** Does items until nothing is left, the user stops it, or its process is asked to end. Says how many it ended. */
export async function workUntilOver(
  io: Io,
  remote: Remote,
  wanted: Wanted,
  ending: AbortSignal,
): Promise<number> {
  const { worker, effort_id } = wanted
  const { task_id } = await remote.call<BodyView>('work.list', { effort_id, limit: 1 })
  const of: Branches = { io, root: rootOf(io), effort_id, folder: join(task_id, 'worktrees') }
  beginIntegration(of)
  const log = logOf(task_id, worker)
  mkdirSync(dirname(log), { recursive: true })
  await remote.call('worker.start', { effort_id, worker, pid: process.pid, log })
  let ended = 0
  try {
    for (;;) {
      const { stop_asked } = await remote.call<Beat>('worker.beat', { worker })
      if (stop_asked || ending.aborted) break
      const about = { effort_id, worker, lease_seconds: wanted.lease }
      const { item, over } = await remote.call<{ item: WholeItem | null; over: boolean }>('work.claim', about)
      if (item !== null) {
        const end = await Holding.through(remote, { wanted, item, ending }, (holding) =>
          tryItem({
            of,
            item,
            worker,
            command: wanted.command,
            log,
            signal: holding.signal,
            at: (tree) => holding.at(tree),
            hold: () => holding.renew(),
          }),
        )
        if (end !== undefined) ended++
      } else if (over) break
      else await sleep(IDLE_MILLISECONDS)
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    await remote.call('worker.end', { worker, status: 'failed', reason: reason.slice(0, 2000) })
    throw error
  }
  await remote.call('worker.end', { worker, status: 'stopped' })
  return ended
}

/** Where a worker writes what its commands say. */
export const logOf = (task_id: string, worker: string): string => join(task_id, 'workers', `${worker}.log`)

interface About {
  readonly wanted: Wanted
  readonly item: WholeItem
  readonly ending: AbortSignal
}

/** Holds an item while work goes on: renews its lease after a third, and ends the work after two thirds without one. */
class Holding {
  readonly #remote: Remote
  readonly #about: About
  readonly #abort = new AbortController()
  #tree: Worktree | undefined
  #renewed = performance.now()
  #why: 'lost' | 'late' | 'stopped' | undefined

  private constructor(remote: Remote, about: About) {
    this.#remote = remote
    this.#about = about
  }

  /** Does something with an item and reports its end; undefined if somebody else has the item now. */
  static async through(
    remote: Remote,
    about: About,
    work: (holding: Holding) => Promise<TryEnd>,
  ): Promise<TryEnd | undefined> {
    const { wanted, item, ending } = about
    const holding = new Holding(remote, about)
    const every = Math.min((wanted.lease * 1000) / 3, LONGEST_SILENCE_MILLISECONDS)
    const timer = setInterval(() => void holding.#beat(), every)
    const late = setTimeout(() => holding.#stop('late'), wanted.minutes * 60_000)
    const stopped = () => holding.#stop('stopped')
    ending.addEventListener('abort', stopped, { once: true })
    if (ending.aborted) stopped()
    try {
      const end = holding.#judged(await work(holding).catch(asEnd))
      if (end === undefined) return undefined
      const { item: name, fence } = item
      const report = { effort_id: wanted.effort_id, item: name, fence, ...end }
      await remote.call('work.report', report).catch((error: unknown) => {
        if (!isStale(error)) throw error
      })
      return end
    } finally {
      clearInterval(timer)
      clearTimeout(late)
      ending.removeEventListener('abort', stopped)
    }
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  at(tree: Worktree): void {
    this.#tree = tree
    void this.#beat()
  }

  /** Renews the lease; ends the work if somebody else has the item. */
  async renew(): Promise<void> {
    const { wanted, item } = this.#about
    const begun = performance.now()
    try {
      await this.#remote.call('work.renew', {
        effort_id: wanted.effort_id,
        item: item.item,
        fence: item.fence,
        lease_seconds: wanted.lease,
      })
      this.#renewed = begun
    } catch (error) {
      if (isStale(error)) this.#stop('lost')
      else if (performance.now() - this.#renewed > (wanted.lease * 2000) / 3) this.#stop('lost')
    }
  }

  async #beat(): Promise<void> {
    const { wanted, item } = this.#about
    await this.renew()
    const now = { worktree: this.#tree?.path ?? null, branch: this.#tree?.branch ?? null }
    // A daemon that is away is no reason to stop; the lease is.
    const beat = await this.#remote
      .call<Beat>('worker.beat', { worker: wanted.worker, item: item.item, ...now })
      .catch(() => undefined)
    if (beat?.stop_asked === true) this.#stop('stopped')
  }

  #stop(why: 'lost' | 'late' | 'stopped'): void {
    this.#why ??= why
    this.#abort.abort()
  }

  /** What is reported: nothing of an item that was lost. What was merged is done, whatever came then. */
  #judged(end: TryEnd): TryEnd | undefined {
    if (this.#why === 'lost') return undefined
    if (end.outcome === 'done' || this.#why === undefined) return end
    return this.#why === 'stopped'
      ? { outcome: 'released', reason: end.reason }
      : {
          outcome: 'failed',
          reason: `It took longer than ${this.#about.wanted.minutes} minutes. ${end.reason}`,
        }
  }
}

const isStale = (error: unknown): boolean =>
  error instanceof EngineError && (error.code === 'conflict' || error.code === 'not-found')

/** Git or the disk failed: the item is tried again, and the second time the same words end it. */
const asEnd = (error: unknown): TryEnd => ({
  outcome: 'failed',
  reason: (error instanceof Error ? error.message : String(error)).slice(0, 2000),
})
