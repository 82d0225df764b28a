import type { Effort } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import { fillIn } from '../../model/plan/action-words.ts'
import { faultsText, finishCommand, resultFaults, tooMuch } from '../../model/result.ts'
import type { ResultSchema } from '../../model/result-schema.ts'

/** Refuses a result that its skill does not declare so, or that is too much to keep. */
export function checkResult(effort: Effort, schema: ResultSchema | undefined, result: unknown): void {
  if (result === undefined) return
  const limit = tooMuch(JSON.stringify(result))
  if (limit !== undefined) throw new EngineError('invalid', `result ${limit}.`, { field: 'result' })
  const faults = schema === undefined ? [] : resultFaults(schema, result)
  const [first] = faults
  if (first === undefined) return
  const hint = finishCommand(effort.id, schema, result)
  const reason = `The result of effort ${effort.id} does not fit skill ${effort.skill}: ${faultsText(faults)}`
  throw new EngineError('refused', [reason, ...fillIn([hint])].join(' '), {
    field: first.field,
    hint,
    record: {
      event_type: 'effort.refused',
      skill: effort.skill,
      phase: effort.current_phase ?? '',
      effort_id: effort.id,
      payload: { reason },
    },
  })
}
