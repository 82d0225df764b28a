/** Every event type of the ledger. */
export const LEDGER_EVENTS = [
  'project.registered',
  'project.renamed',
  'project.level',
  'project.gated',
  'task.created',
  'task.updated',
  'effort.started',
  'effort.resumed',
  'effort.approved',
  'effort.refused',
  'effort.finished',
  'effort.dehydrated',
  'phase.entered',
  'phase.skipped',
  'phase.refused',
  'approval.given',
  'session.started',
  'session.switched',
  'session.stale',
  'session.ended',
  'span.opened',
  'span.resumed',
  'span.suspended',
  'span.completed',
  'step.visited',
  'step.refused',
  'read.unresolved',
  'write.unresolved',
  'stage.entered',
  'step.delegated',
  'delegation.ended',
  'skill.forked',
  'todo.listed',
  'todo.done',
  'artifact.recorded',
  'evidence.begun',
  'evidence.failed',
  'step.started',
  'step.completed',
  'step.failed',
  'plan.parked',
  'tool.refused',
  'tool.unknown',
  'context.warned',
  'directive.told',
  'rule.failed',
  'skill.changed',
  'skill.deleted',
  'message.appended',
  'agent.registered',
  'agent.claimed',
  'agent.refused',
  'agent.released',
  'run.started',
  'run.failed',
  'run.published',
  'queue.added',
  'queue.resolved',
  'file.appending',
  'file.appended',
] as const

export type LedgerEvent = (typeof LEDGER_EVENTS)[number]

/** An entry to append to the ledger. */
export interface LedgerEntry {
  readonly event_type: LedgerEvent
  readonly skill?: string
  readonly phase?: string
  readonly session_id?: number
  readonly effort_id?: number
  readonly project_id?: number
  readonly agent_id?: string
  readonly payload?: Readonly<Record<string, unknown>>
}

/** An empty text as null, for JSON. */
export const orNull = (text: string): string | null => (text === '' ? null : text)

/** A stored entry for JSON; the ledger stores absent texts as empty ones. */
export const tellEntry = <
  E extends { readonly skill: string; readonly phase: string; readonly session_id: string },
>(
  entry: E,
) => ({
  ...entry,
  skill: orNull(entry.skill),
  phase: orNull(entry.phase),
  session_id: orNull(entry.session_id),
})
