import type { Context } from '../../engine/call/context.ts'
import type { NodeSkillFolders } from '../../files/skill-folders.ts'
import type { Counts } from '../../model/count.ts'
import type { Store } from '../../store/store.ts'
import type { Ballast } from '../ballast.ts'
import type { Descriptors } from '../descriptors.ts'
import type { Home } from '../home.ts'
import type { Log } from '../log.ts'

/** What a daemon does again and again without anybody asking. */
export interface Job<Needs> {
  readonly name: string
  readonly summary: string
  /** Milliseconds from one run to the next; undefined if this daemon does not need the job. */
  readonly every: (needs: Needs) => number | undefined
  /** Called once; gives what each run does, so that a job can remember the run before. */
  readonly begin: (needs: Needs) => () => Promise<void> | void
}

/** The parts of the daemon that jobs may work with. */
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
