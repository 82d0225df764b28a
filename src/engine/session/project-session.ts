import type { LedgerEntry } from '../../model/ledger.ts'
import type { Session } from '../../model/session.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'

/** A session, and the project of its task. */
export interface ProjectSession {
  readonly session: Session
  readonly projectId: number
  readonly tasks?: TasksThere | undefined
}

/** Where the tasks of a checkout lie: a link is followed, so that no folder is two tasks. */
export interface TasksThere {
  readonly root: string
  readonly folder: string
  /** Those that exist, known to the store or not. */
  readonly names: ReadonlySet<string>
}

/** Records an event of a session in the ledger. */
export const recordIn = (
  tx: Tx,
  { session, projectId }: ProjectSession,
  entry: LedgerEntry,
  call: Call,
): Promise<void> => call.record(tx, { window_id: session.id, project_id: projectId, ...entry })
