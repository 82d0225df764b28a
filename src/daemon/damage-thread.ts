import type { Worker } from 'node:worker_threads'
import { workerFile } from '../files/worker-file.ts'
import type { Extent } from '../store/damage.ts'

/** What to read, and how much of it at once. */
export interface Search {
  /** A file URL, with the parameters of SQLite. */
  readonly url: string
  readonly extent: Extent
}

/**
 * Looks for damage in a thread, which posts what it found, or undefined. It belongs to this process, because SQLite
 * shares its locks there. It ends between two tables.
 */
export function searchForDamage(search: Search): Worker {
  // Loaded at first use, because it would slow the start of the daemon.
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  return new Worker(workerFile(import.meta.dirname, 'damage-worker'), { execArgv: [], workerData: search })
}
