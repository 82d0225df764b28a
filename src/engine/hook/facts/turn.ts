import type { LedgerEvent } from '../../../model/ledger.ts'
import { kindsSince } from '../../../store/ledger.ts'
import { lastPromptTo } from '../../../store/message.ts'
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
  async load(tx, { window: { session } }) {
    // A turn outlives its window: a compaction or a command may end that.
    const prompt = await lastPromptTo(tx, { native_id: session.native_id ?? '' })
    const since = prompt?.timestamp ?? session.created_at
    const rows = await kindsSince(tx, { effort_id: session.effort_id, since })
    const kinds = new Set(rows.map(({ event_type }) => event_type))
    return { hasMoved: MOVES.some((kind) => kinds.has(kind)), isHeld: kinds.has(REFUSED) }
  },
}
