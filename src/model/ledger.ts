import { EngineError } from './error.ts'
import { nearest } from './text/nearest.ts'

/** Every event type of the ledger. */
export const LEDGER_EVENTS = [
  'project.registered',
  'project.renamed',
  'project.level',
  'project.gated',
  'project.merged',
  'task.created',
  'task.updated',
  'task.summarized',
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
  'door.asked',
  'door.opened',
  'door.refused',
  'session.started',
  'session.switched',
  'session.stale',
  'session.ended',
  'session.imported',
  'span.opened',
  'span.resumed',
  'span.suspended',
  'span.completed',
  'step.visited',
  'step.refused',
  'read.unresolved',
  'write.unresolved',
  'stage.entered',
  'chain.begun',
  'chain.called',
  'chain.ended',
  'chain.failed',
  'chain.parked',
  'chain.resumed',
  'chain.taken',
  'chain.pushed',
  'chain.dropped',
  'modes.set',
  'step.delegated',
  'delegation.ended',
  'skill.forked',
  'todo.listed',
  'todo.done',
  'artifact.recorded',
  'evidence.begun',
  'evidence.failed',
  'step.run',
  'step.started',
  'step.completed',
  'step.failed',
  'plan.parked',
  'work.added',
  'item.blocked',
  'item.allowed',
  'worker.started',
  'worker.stopping',
  'worker.ended',
  'plan.edited',
  'plan.accepted',
  'plan.restored',
  'tool.refused',
  'turn.refused',
  'tool.unknown',
  'context.warned',
  'directive.told',
  'memory.told',
  'memory.missed',
  'rule.failed',
  'skill.changed',
  'skill.deleted',
  'skill.trusted',
  'skill.untrusted',
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
  'queue.flushed',
  'source.indexed',
  'source.removed',
  'memory.forgotten',
  'ai.used',
  'handoff.written',
  'handoff.refused',
  'file.appending',
  'file.appended',
] as const

export type LedgerEvent = (typeof LEDGER_EVENTS)[number]

/** The kinds that the seeds name, in ours; their sessions are those of a skill. */
export const SEED_EVENTS: ReadonlyMap<string, readonly LedgerEvent[]> = new Map([
  ['phase_enter', ['phase.entered']],
  ['step_enter', ['step.visited', 'step.started']],
  ['session_start', ['session.started', 'span.opened', 'span.resumed']],
  ['session_end', ['session.ended', 'span.suspended', 'span.completed']],
  ['subagent_step_delegate', ['step.delegated']],
])

/** The kinds of entries that a name means, ours or a seed's. */
export function eventsNamed(name: string): readonly LedgerEvent[] {
  const meant = SEED_EVENTS.get(name) ?? LEDGER_EVENTS.filter((event) => event === name)
  if (meant.length > 0) return meant
  const known = [...LEDGER_EVENTS, ...SEED_EVENTS.keys()]
  const near = nearest(name, known)[0] ?? (name === '' ? undefined : known.find((one) => one.includes(name)))
  const nouns = [...new Set(LEDGER_EVENTS.map((event) => event.split('.')[0]))]
  throw new EngineError(
    'invalid',
    `Unknown type of entry ${JSON.stringify(name)}${near === undefined ? `. Entries are about: ${nouns.join(', ')}.` : `; did you mean ${near}?`}`,
    { field: 'event_type', hint: near === undefined ? 'holdfast ledger' : `holdfast ledger --type ${near}` },
  )
}

/** An entry to append to the ledger. */
export interface LedgerEntry {
  readonly event_type: LedgerEvent
  readonly skill?: string
  readonly phase?: string
  /** Our id of the session. */
  readonly window_id?: number
  /** The client's id of the session, for a caller that names only this one. */
  readonly session_id?: string
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
