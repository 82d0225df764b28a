import type { Tx } from '../../../store/query.ts'
import { findLastByNative } from '../../../store/session.ts'
import { listRuns } from '../../../store/skill-run.ts'
import { openSpansOf } from '../../../store/span.ts'
import { resultIn, runPath } from '../../skill/skill-run.ts'
import type { Look, Looked } from './look.ts'

/** The results that runs of the session's efforts still lack, where an event may end such an effort. */
export const results: Look = {
  isOfSession: true,
  ask({ context, event: { session = '' }, found }) {
    if (!mayEnd(found)) return undefined
    return async (tx) => {
      const folders = await foldersOf(tx, session)
      return async () => {
        const unwritten = new Map<number, string>()
        for (const [effort, folder] of folders) {
          const result = await resultIn(context, folder)
          if (result?.written === false) unwritten.set(effort, result.file)
        }
        return { unwritten }
      }
    }
  },
}

const mayEnd = ({ event, invocations }: Looked): boolean =>
  event.kind === 'session.ended' || invocations.length > 0

/** The folder of the last run of each effort. */
async function foldersOf(tx: Tx, native_id: string): Promise<ReadonlyMap<number, string>> {
  const spans = await openSpansOf(tx, { session_id: native_id })
  const last = await findLastByNative(tx, { native_id })
  const found = new Map<number, string>()
  for (const effort_id of new Set([last?.effort_id, ...spans.map((span) => span.effort_id)])) {
    const [run] = effort_id == null ? [] : await listRuns(tx, { effort_id, limit: 1 })
    if (effort_id != null && run !== undefined) found.set(effort_id, runPath(run))
  }
  return found
}
