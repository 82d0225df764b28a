import { EngineError } from '../model/error.ts'
import { extentFor } from '../store/damage.ts'
import type { Database } from '../store/database.ts'
import type { Kept } from '../store/file-watch.ts'
import { settledSeq } from '../store/ledger.ts'
import type { Store } from '../store/store.ts'
import { type Left, readKept } from './acknowledged.ts'
import { damaged, mendDamage } from './damage.ts'
import { keepDoubt, type KeptDoubt, readDoubt } from './doubt.ts'
import { keptFile, see } from './files-of.ts'
import type { Home } from './home.ts'
import type { Log } from './log.ts'

/** What the last daemon left, as the disk shows it before the database is opened. */
export interface Found {
  readonly kept: Left | undefined
  readonly doubt: KeptDoubt
  readonly bytes: number
  /** Whether something else wrote the database since the last daemon did. */
  readonly isChanged: boolean
}

export function lookAtFiles(home: Home): Found {
  if (home.isPostgres)
    return { kept: undefined, doubt: { stopped: null, found: [] }, bytes: 0, isChanged: false }
  const [kept, now] = [readKept(keptFile(home)), see(home.database)]
  return { kept, doubt: readDoubt(home), bytes: now?.size ?? 0, isChanged: differs(kept, now) }
}

/** Not by inode, because a home may move. */
function differs(kept: Left | undefined, now: Kept['database']): boolean {
  if (kept?.isComparable !== true || kept.database === undefined || now === undefined) return false
  return kept.database.size !== now.size || kept.database.changed !== now.changed
}

/** Throws if the database is damaged. What is in doubt is checked whole, whatever its size. */
export function examine(home: Home, { files }: Database, { doubt, isChanged: changed, bytes }: Found): void {
  if (files === undefined) return
  // `besideCheck` reads a large one while it serves.
  if (doubt.stopped === null && !changed && extentFor(bytes) !== 'whole') return
  const damage = files.check()
  if (damage === undefined) return
  const reason = damaged(home, damage)
  // Nothing may write into a damaged database, not even its own log.
  files.mistrust({ reason, isContent: true })
  throw new EngineError('unavailable', reason, { hint: mendDamage(home) })
}

interface Settling {
  readonly home: Home
  readonly log: Log
  readonly store: Store
  readonly found: Found
}

/** Compares what was acknowledged with what is there, and tells what is missing; nothing goes on silently. */
export async function settle({ home, log, store, found }: Settling): Promise<void> {
  const { files } = store.database
  if (files === undefined) return
  const seq = await store.transact(settledSeq, { reads: true })
  const { kept, doubt, isChanged: changed } = found
  const missing = Math.max(0, (kept?.seq ?? 0) - seq)
  const problems = [
    ...(missing > 0 ? [changesMissing(home, missing)] : []),
    ...(changed ? [changedOutside(home)] : []),
  ]
  for (const message of problems) log.write('error', 'files in doubt', { message })
  if (doubt.stopped !== null) log.write('info', 'files checked', { message: doubt.stopped })
  if (problems.length > 0 || doubt.stopped !== null)
    keepDoubt(home, { stopped: null, found: [...doubt.found, ...problems] })
  files.acknowledge(seq)
}

const changesMissing = ({ database }: Home, missing: number): string =>
  `${missing === 1 ? '1 change that was' : `${missing} changes that were`} acknowledged ${missing === 1 ? 'is' : 'are'} missing from ${database}: its log or the database was removed, replaced or cut.`

const changedOutside = ({ database }: Home): string =>
  `${database} was changed by another program while no daemon ran. Its structure is intact, but its texts cannot be checked.`
