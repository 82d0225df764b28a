import type { LedgerEntry } from '../../model/ledger.ts'
import type { Session } from '../../model/session.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'

/** A session, and the project of its task. */
export interface ProjectSession {
  readonly session: Session
  readonly projectId: number
  /** Folders of tasks that exist, known to the store or not. */
  readonly taskFolders?: ReadonlySet<string> | undefined
}

/** Records an event of a session in the ledger. */
export const recordIn = (
  tx: Tx,
  { session, projectId }: ProjectSession,
  entry: LedgerEntry,
  call: Call,
): Promise<void> => call.record(tx, { window_id: session.id, project_id: projectId, ...entry })
