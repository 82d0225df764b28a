import type { LedgerEvent } from '../../../model/ledger.ts'
import { scopeId } from '../../../model/session.ts'
import type { Turn } from '../../../rules/facts.ts'
import { openDelegations } from '../../../store/delegation.ts'
import { kindsSince } from '../../../store/ledger.ts'
import { lastPromptTo } from '../../../store/message.ts'
import type { Tx } from '../../../store/query.ts'
import { findOpenByNative } from '../../../store/session.ts'
import type { Scene } from '../scene.ts'
import type { Loader } from './loader.ts'

const REFUSED: LedgerEvent = 'turn.refused'

/** Entries that show work on an effort, or a call of its skill. */
const MOVES: readonly LedgerEvent[] = [
  'effort.started',
  'effort.resumed',
  'phase.entered',
  'span.opened',
  'span.resumed',
  'step.visited',
  'step.delegated',
  'step.started',
  'step.completed',
  'step.failed',
  'artifact.recorded',
]

/** What happened to the effort since the user's last prompt, or since the window began. */
export const turn: Loader<'turn'> = {
  looks: [],
  load: (tx, scene) => turnOf(tx, scene, scene.window.session.effort_id),
}

/** The same for any effort of the session. */
export async function turnOf(tx: Tx, scene: Scene, effort_id: number): Promise<Turn> {
  const { session } = scene.window
  // A turn outlives its window: a compaction or a command may end that.
  const prompt = await lastPromptTo(tx, { native_id: session.native_id ?? '' })
  const since = prompt?.timestamp ?? session.created_at
  const rows = await kindsSince(tx, { effort_id, since })
  const lastAt = new Map(rows.map(({ event_type, last_at }) => [event_type, last_at]))
  return {
    hasMoved: MOVES.some((kind) => lastAt.has(kind)),
    // What the prompt began has its time; a refusal of that time ended the turn before.
    isHeld: (lastAt.get(REFUSED) ?? '') > since,
    isWaiting: await hasSubagents(tx, scene),
  }
}

/** A sub-agent whose end nobody reported must not count for ever, so it counts as long as a silent session does. */
async function hasSubagents(
  tx: Tx,
  { window: { session }, since, volatile }: Pick<Scene, 'window' | 'since' | 'volatile'>,
): Promise<boolean> {
  const session_id = session.native_id ?? ''
  for (const { created_at, agent_id } of await openDelegations(tx, { session_id })) {
    if (created_at >= since) return true
    const scope =
      agent_id === null ? undefined : await findOpenByNative(tx, { native_id: scopeId(session_id, agent_id) })
    if (scope !== undefined && (volatile.heardAt(scope.id) ?? scope.last_heartbeat ?? '') >= since)
      return true
  }
  return false
}
