import type { Ai, Embedder } from '../model/ai.ts'
import { aiUsedEntry } from '../model/ai-used.ts'
import type { Config } from '../model/config.ts'
import { EngineError } from '../model/error.ts'
import { codeOf } from '../model/search/codes.ts'
import type { Wanted } from '../model/search/found.ts'
import type { Clock } from '../model/clock.ts'
import { timestamp } from '../model/clock.ts'
import { record } from '../store/ledger.ts'
import { listSpaces, type Space } from '../store/space.ts'
import type { Store } from '../store/store.ts'
import type { Meaning } from '../store/vector.ts'

/** A search waits no longer for the vector of its question. */
const DEADLINE_MILLISECONDS = 1500
/** After a failure, searches go by words at once for so long. */
const REST_MILLISECONDS = 15_000
const MOST_KNOWN = 200

/** What went wrong last, and when. */
export interface Problem {
  readonly message: string
  readonly at: string
}

interface Needs {
  readonly store: Store
  readonly ai: Ai
  readonly clock: Clock
  readonly config: (project: string) => Config
}
