import type { Change } from '../../model/change.ts'
import type { Tx } from '../../store/query.ts'
import { findSame, insertItem } from '../../store/queue.ts'
import type { Call } from '../call/method.ts'
import { type ProjectSession, recordIn } from '../session/project-session.ts'

/** Adds marked notes to the queue of the project, each text once. */
export async function queueNotes(
  tx: Tx,
  { notes, effort }: Extract<Change, { kind: 'noted' }>,
  at: ProjectSession,
  call: Call,
): Promise<void> {
  const about = { project_id: at.projectId, kind: 'observation' }
  for (const content of notes) {
    if ((await findSame(tx, { ...about, content })) !== undefined) continue
    const item = await insertItem(tx, { ...about, content, effort_id: effort ?? null, now: call.now })
    const payload = { item: item?.id, kind: about.kind }
    const entry = { event_type: 'queue.added' as const, ...(effort !== undefined && { effort_id: effort }) }
    await recordIn(tx, at, { ...entry, payload }, call)
  }
}
