import type { Change } from '../../model/change.ts'
import { keptText } from '../../model/text/kept.ts'
import { describeEffort, lockEffort, toEffort } from '../../store/effort.ts'
import { toJson } from '../../store/json.ts'
import type { Tx } from '../../store/query.ts'
import { openSpansOf } from '../../store/span.ts'
import type { Call } from '../call/method.ts'
import type { ProjectSession } from '../session/project-session.ts'

const LONGEST_ABOUT = 200

/** Stores the stage with the effort of the skill, else with the effort of the session. */
export async function enterStage(
  tx: Tx,
  { skill, stage, about }: Extract<Change, { kind: 'stage.entered' }>,
  { session, projectId }: ProjectSession,
  call: Call,
): Promise<void> {
  const span = (await openSpansOf(tx, { session_id: session.native_id ?? '' })).find(
    (one) => one.skill === skill,
  )
  const id = span?.effort_id ?? session.effort_id
  const row = await lockEffort(tx, { id })
  if (row === undefined) return
  const metadata = toJson({ ...toEffort(row).metadata, stage })
  await describeEffort(tx, call.context.store.volatile, { id, mode: null, metadata })
  await call.record(tx, {
    event_type: 'stage.entered',
    window_id: session.id,
    project_id: projectId,
    skill,
    effort_id: id,
    payload: { stage, task_id: row.task_id, ...(about !== '' && { about: keptText(about, LONGEST_ABOUT) }) },
  })
}
