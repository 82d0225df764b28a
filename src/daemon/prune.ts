import type { PruneResult } from '../engine/call/context.ts'
import { timestamp } from '../model/clock.ts'
import { pruningAges } from '../model/pruning.ts'
import { megabytesUsed, pruneMessages } from '../store/prune.ts'
import type { Store } from '../store/store.ts'
import { storeClock } from './clock.ts'
import type { Home } from './home.ts'

const DAY_MILLISECONDS = 24 * 3600 * 1000

interface Pruning {
  readonly home: Pick<Home, 'keepDays' | 'keepMegabytes'>
  readonly store: Store
  /** Only counts. */
  readonly dryRun?: boolean
  readonly stopping?: AbortSignal
}

/** Deletes old tool messages as the config says. */
export async function prune({ home, store, dryRun = false, stopping }: Pruning): Promise<PruneResult> {
  const { keepDays, keepMegabytes } = home
  let all: PruneResult = { sessions: 0, messages: 0, bytes: 0, days: null }
  if (keepDays === undefined) return all
  for (const days of pruningAges(keepDays)) {
    const before = timestamp(storeClock(store.database).now() - days * DAY_MILLISECONDS)
    const found = await pruneMessages(store, { before, dryRun, stopping })
    // What is only counted stays, so the next age counts it again.
    const known = dryRun ? { sessions: 0, messages: 0, bytes: 0 } : all
    all = {
      sessions: known.sessions + found.sessions,
      messages: known.messages + found.messages,
      bytes: known.bytes + found.bytes,
      days,
    }
    const used = await megabytesUsed(store)
    const left = (used ?? 0) - (dryRun ? all.bytes / 2 ** 20 : 0)
    if (stopping?.aborted === true || used === undefined || left <= keepMegabytes) break
  }
  return all
}
