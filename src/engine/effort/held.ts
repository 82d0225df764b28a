import type { Tx } from '../../store/query.ts'
import { openInProject } from '../../store/session.ts'
import type { Volatile } from '../../store/volatile.ts'

/** The efforts that others who live are at, or come back to when the skill that they have called is done. */
export async function heldByOthers(
  tx: Tx,
  scene: {
    readonly projectId: number
    /** The window that asks. */
    readonly window: number | undefined
    /** Whoever has been silent since then counts as gone. */
    readonly since: string
    readonly volatile: Volatile
  },
): Promise<ReadonlySet<number>> {
  const { projectId, window, since, volatile } = scene
  // A word in the log is a sign of life that memory does not know of.
  const isHeard = (id: number, heardAt: string) => heardAt >= since || (volatile.heardAt(id) ?? '') >= since
  const others = (await openInProject(tx, { project_id: projectId })).filter(
    ({ id, heard_at }) => id !== window && isHeard(id, heard_at),
  )
  return new Set(
    others.flatMap(({ effort_id, waits_for }) => (waits_for === null ? [effort_id] : [effort_id, waits_for])),
  )
}
