import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { extentFor } from '../store/damage.ts'
import { searchForDamage } from './damage-thread.ts'

/** Small steps, so that other work gets its turn between them. */
const PAGES_PER_STEP = 256
const BUSY_MILLISECONDS = 100

/** Called with a share from 0 to 1. */
export type OnProgress = (share: number) => void

/** A live database may change while it is read; a still one is a file that nobody writes. */
export type State = 'live' | 'still'

interface Copying {
  readonly from: string
  readonly state: State
  /** An empty file. */
  readonly to: string
  readonly onProgress?: OnProgress | undefined
  readonly signal?: AbortSignal | undefined
}

/** Copies a database in use to a file, as it is at this moment, on another thread. */
export async function copyDatabase({ from, state, to, onProgress, signal }: Copying): Promise<void> {
  using source = openToRead(from, state)
  // An open read keeps this state, so that writers cannot make the copy start anew.
  source.exec('begin')
  source.prepare('select count(*) from sqlite_schema').get()
  await backup(source, to, {
    rate: PAGES_PER_STEP,
    progress({ totalPages, remainingPages }) {
      signal?.throwIfAborted()
      onProgress?.(1 - remainingPages / Math.max(1, totalPages))
    },
  })
  // A small database takes one step.
  signal?.throwIfAborted()
}

/** Opens a database only to read. */
function openToRead(path: string, state: State): DatabaseSync {
  const db = new DatabaseSync(state === 'live' ? path : new URL(stillUrl(path)), { readOnly: true })
  db.exec(`pragma busy_timeout = ${BUSY_MILLISECONDS}; pragma trusted_schema = off`)
  return db
}

/** Without a log beside it, a still file is read without locks, so that it stays without one. */
function stillUrl(path: string): string {
  const url = pathToFileURL(path)
  if (!existsSync(`${path}-wal`)) url.searchParams.set('immutable', '1')
  return url.href
}

/** The schema version of a database file; undefined if it is not one of ours, or cannot be read. */
export function versionIn(path: string, state: State): number | undefined {
  try {
    using db = openToRead(path, state)
    const { version } = db.prepare('select max(version) as version from migrations').get() ?? {}
    return typeof version === 'number' ? version : undefined
  } catch {
    return undefined
  }
}

/** How many ledger entries of a live database a still one lacks; undefined if one of them cannot be read. */
export function entriesMissing(live: string, still: string): number | undefined {
  try {
    using db = openToRead(live, 'live')
    db.prepare('attach ? as other').run(stillUrl(still))
    const sql = `select count(*) as count from main.life_event as entry
      where not exists (select 1 from other.life_event where id = entry.id)`
    return Number(db.prepare(sql).get()?.['count'])
  } catch {
    return undefined
  }
}

/** What is wrong with a still database; undefined if it is intact. */
export async function damageOf(path: string, signal?: AbortSignal): Promise<string | undefined> {
  if (versionIn(path, 'still') === undefined)
    return 'it is no database of Holdfast, or its first page is damaged'
  const worker = searchForDamage({ url: stillUrl(path), extent: extentFor(statSync(path).size) })
  try {
    // A daemon that stops waits for one table at most.
    const [damage] = (await once(worker, 'message', { signal })) as [string | undefined]
    return damage
  } finally {
    await worker.terminate()
  }
}
