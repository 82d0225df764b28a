import type { HookEvent } from '../../model/event.ts'
import type { Tx } from '../../store/query.ts'
import { openBeside } from '../../store/other-sessions.ts'
import { toSession } from '../../store/session.ts'
import { openSpansOf } from '../../store/span.ts'
import type { Call } from '../call/method.ts'
import { completeSpans } from '../effort/complete-spans.ts'
import { clientState } from '../session/client-process.ts'
import { closeSession } from '../session/session-window.ts'

interface Silence {
  readonly projectId: number
  /** Silence since then ends a session whose client is not known to run; undefined if only killed clients end. */
  readonly since: string | undefined
}

/** Ends the windows and spans of clients that were killed, or are silent and not known to run, when the next session in the project starts. */
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
  { projectId, since }: Silence,
  call: Call,
): Promise<readonly { readonly id: number; readonly native_id: string }[]> {
  const { store, machine } = call.context
  const rows = await openBeside(tx, {
    project_id: projectId,
    client: event.client,
    native_id: event.session ?? '',
  })
  const ended: { readonly id: number; readonly native_id: string }[] = []
  for (const row of rows.toSorted((a, b) => a.id - b.id)) {
    const session = store.volatile.overlay(toSession(row))
    const isSilent = since !== undefined && (session.last_heartbeat ?? session.created_at) < since
    const state = await clientState(tx, session.scope_of ?? session.native_id, machine)
    if (state === 'running' || (state === 'unknown' && !isSilent)) continue
    await closeSession(tx, session, 'orphaned', call)
    if (row.native_id !== null) ended.push({ id: row.id, native_id: row.native_id })
  }
  return ended
}
