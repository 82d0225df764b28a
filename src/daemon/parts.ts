import type { call } from '../engine/call/call.ts'
import type { CallerLimits } from '../rpc/callers.ts'
import type { Store } from '../store/store.ts'
import type { Ballast } from './ballast.ts'
import type { Inherited } from './hand-over.ts'
import type { Home } from './home.ts'
import type { Lock } from './lock.ts'
import type { Log } from './log.ts'

/** The parts that a daemon opens before it serves and closes last. */
export interface Parts {
  readonly home: Home
  readonly log: Log
  readonly store: Store
  readonly lock: Lock
  readonly ballast: Ballast
  readonly callMethod: typeof call
  readonly inherited: Inherited | undefined
  readonly callers: Partial<CallerLimits>
}
