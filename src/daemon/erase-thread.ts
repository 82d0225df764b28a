import { once } from 'node:events'
import { workerFile } from '../files/worker-file.ts'
import type { Targets } from '../store/forget-all.ts'

/** A database to write anew. */
export interface Erasure {
  readonly database: string
  /** What to delete from a backup before; nobody else may have it open. */
  readonly targets?: Targets | undefined
}

/** Writes a database anew in a thread, because SQLite would block the daemon as long as it writes. */
export async function erase(erasure: Erasure): Promise<void> {
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  const worker = new Worker(workerFile(import.meta.dirname, 'erase-worker'), {
    execArgv: [],
    workerData: erasure,
  })
  try {
    const [error] = (await once(worker, 'message')) as [Error | undefined]
    if (error !== undefined) throw error
  } finally {
    await worker.terminate()
  }
}
