import type { Context } from '../../engine/call/context.ts'
import type { NodeSkillFolders } from '../../files/skill-folders.ts'
import type { Counts } from '../../model/count.ts'
import type { Store } from '../../store/store.ts'
import type { Ballast } from '../ballast.ts'
import type { Descriptors } from '../descriptors.ts'
import type { Home } from '../home.ts'
import type { Log } from '../log.ts'

/** A periodic task of the daemon. */
export interface Job<Needs> {
  readonly name: string
  readonly summary: string
  /** Milliseconds from one run to the next; undefined if this daemon does not need the job. */
  readonly every: (needs: Needs) => number | undefined
  /** Called once; returns the function of each run, so that a job can keep state. The signal ends long runs. */
  readonly begin: (needs: Needs) => (stopping: AbortSignal) => Promise<void> | void
}

/** Who calls methods for a job: nobody who hears notices or goes away. */
export const caller = { notify: () => Promise.resolve(), gone: new AbortController().signal }

/** The parts of the daemon that jobs may use. */
export interface JobNeeds {
  readonly home: Home
  readonly log: Log
  readonly store: Store
  readonly context: Context
  readonly ballast: Ballast
  readonly descriptors: Descriptors
  readonly skillFolders: NodeSkillFolders
  readonly counts: Readonly<Counts>
  /** Stops the daemon, as `daemon.stop` does. */
  readonly stop: () => void
}
