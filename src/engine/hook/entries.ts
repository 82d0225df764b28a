import type { Change } from '../../model/change.ts'
import type { LedgerEntry } from '../../model/ledger.ts'
import { oneLine } from '../../model/text/line.ts'
import type { Session } from '../../model/session.ts'

/** Changes that only write a ledger entry. */
export function entryOf(
  change: Extract<
    Change,
    {
      kind:
        | 'refused'
        | 'asked'
        | 'read.unresolved'
        | 'write.unresolved'
        | 'rule.failed'
        | 'memory.told'
        | 'memory.missed'
    }
  >,
  { effort_id }: Session,
): LedgerEntry {
  if (change.kind === 'refused') return refusalOf(change)
  if (change.kind === 'asked') return { event_type: 'door.asked', effort_id, payload: askedOf(change) }
  if (change.kind === 'rule.failed') {
    const { rule, message } = change
    return { event_type: 'rule.failed', payload: { rule, message } }
  }
  if (change.kind === 'memory.told' || change.kind === 'memory.missed') return memoryEntry(change)
  if (change.kind === 'write.unresolved')
    return { event_type: 'write.unresolved', effort_id, payload: { command: change.command } }
  const { skill, why, command, steps } = change
  const payload = { why, command, ...(steps.length > 0 && { steps }) }
  return { event_type: 'read.unresolved', skill, effort_id, payload }
}

/** What was told is not told again in the same context. */
export const memoryEntry = (
  change: Extract<Change, { kind: 'memory.told' | 'memory.missed' }>,
): LedgerEntry & { readonly payload: object } => ({
  event_type: change.kind,
  skill: change.skill,
  payload:
    change.kind === 'memory.told'
      ? { sources: change.quotes.map(({ source_path: path }) => path) }
      : { why: oneLine(change.why, 300) },
})

const askedOf = ({ call, doors, files }: Extract<Change, { kind: 'asked' }>) => ({
  call,
  doors,
  ...(files.length > 0 && { files }),
})

function refusalOf(change: Extract<Change, { kind: 'refused' }>): LedgerEntry {
  const { rule, skill, step, phase, turn, effort, reason, observed } = change
  const about = { skill, ...(effort !== undefined && { effort_id: effort }) }
  const payload = { rule, reason, ...(observed && { observed }) }
  if (turn === true) return { event_type: 'turn.refused', ...about, payload }
  if (phase !== undefined) return { event_type: 'phase.refused', ...about, phase, payload }
  return step === undefined
    ? { event_type: 'tool.refused', ...about, payload }
    : { event_type: 'step.refused', ...about, phase: step, payload }
}
