import type { Change } from '../../model/change.ts'
import { keptTags } from '../../model/mode.ts'
import { describeEffort, lockEffort, toEffort } from '../../store/effort.ts'
import { toJson } from '../../store/json.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'
import { type ProjectSession, recordIn } from '../session/project-session.ts'

/** Keeps the modes of a call with the effort that the session serves for its skill. */
export async function setModes(
  tx: Tx,
  { skill, modes }: Extract<Change, { kind: 'modes.set' }>,
  at: ProjectSession,
  call: Call,
): Promise<void> {
  const { effort_id } = at.session
  const row = effort_id === null ? undefined : await lockEffort(tx, { id: effort_id })
  if (row === undefined || row.skill !== skill) return
  const { id, metadata } = toEffort(row)
  // A client reports one call several times.
  if (keptTags(metadata).join(' ') === modes.join(' ')) return
  await describeEffort(tx, call.context.store.volatile, {
    id,
    mode: null,
    metadata: toJson({ ...metadata, modes }),
  })
  await recordIn(tx, at, { event_type: 'modes.set', skill, effort_id: id, payload: { modes } }, call)
}
