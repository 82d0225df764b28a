import type { Effort } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'

/** The error for a step that cannot start or end as its caller wants; the ledger records it. */
export function refusedStep(
  { id, skill }: Pick<Effort, 'id' | 'skill'>,
  about: {
    /** The id of the step; empty if none is meant. */
    readonly step: string
    readonly rule: 'plan' | 'pipeline'
    readonly reason: string
    /** What the caller reads, if that is more than the reason. */
    readonly message?: string
    readonly field: string
    readonly hint: string
    /** A caller that must choose is in conflict, not refused. */
    readonly code?: 'conflict'
  },
): EngineError {
  const { step, rule, reason, message = reason, field, hint, code = 'refused' } = about
  return new EngineError(code, message, {
    field,
    hint,
    record: {
      event_type: 'step.refused',
      skill,
      phase: step,
      effort_id: id,
      payload: { rule, reason },
    },
  })
}
