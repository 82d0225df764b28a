import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { damageIn } from '../store/damage.ts'
import type { Search } from './damage-thread.ts'

/** The thread that looks for damage; SQLite would block the daemon as long as it reads. */
const { url, extent } = workerData as Search
using db = new DatabaseSync(new URL(url), { readOnly: true })
parentPort?.postMessage(damageIn(db, extent))
