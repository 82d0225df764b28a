import type { HookEvent } from '../../model/event.ts'
import type { Tx } from '../../store/query.ts'
import { findSession, toSession } from '../../store/session.ts'
import { openSpansOf, silentSessions } from '../../store/span.ts'
import type { Call } from '../call/method.ts'
import { completeSpans } from '../effort/complete-spans.ts'
import { closeSession } from '../session/session-window.ts'

interface Silence {
  readonly projectId: number
  readonly since: string
}

/** Ends the windows and spans of killed clients when the next session in the project starts. */
export async function endOrphans(tx: Tx, event: HookEvent, found: Silence, call: Call): Promise<void> {
  for (const { id, native_id } of await closeOrphans(tx, event, found, call)) {
    const spans = await openSpansOf(tx, { session_id: native_id })
    const known = { window_id: id, project_id: found.projectId, payload: { orphaned: true } }
    await completeSpans(tx, spans, known, call)
  }
}

async function closeOrphans(
  tx: Tx,
  event: HookEvent,
  found: Silence,
  call: Call,
): Promise<readonly { readonly id: number; readonly native_id: string }[]> {
  const rows = await silentSessions(tx, {
    project_id: found.projectId,
    client: event.client,
    native_id: event.session ?? '',
    since: found.since,
  })
  const ended: { readonly id: number; readonly native_id: string }[] = []
  for (const { id } of rows) {
    const row = await findSession(tx, { id })
    const isHeard = (call.context.store.volatile.heardAt(id) ?? '') >= found.since
    if (row === undefined || isHeard) continue
    await closeSession(tx, toSession(row), 'orphaned', call)
    if (row.native_id !== null) ended.push({ id, native_id: row.native_id })
  }
  return ended
}
