import type { Effort } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import { proveCommand } from '../../model/plan/evidence.ts'
import { decidingNames } from '../../model/plan/decided.ts'
import { mustBeProved, showCommand } from '../../model/plan/next-action.ts'
import { isPrinted, type Plan, type Step } from '../../model/plan/plan.ts'
import { settableIn, type Values } from '../../model/plan/plan-for.ts'
import { listed, quoted } from '../../model/text/line.ts'
import { fromJson } from '../../store/json.ts'
import { findPlanState, putPlanState } from '../../store/step.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'
import { type Followed, followedBy } from './plan.ts'
import { setVariables } from './progress.ts'
import type { SeenFiles } from './recorded.ts'

interface Setting {
  readonly effort: Effort
  readonly declared: Plan | undefined
  readonly step: Step
  readonly set: Values
}

/** Refuses to set what only a command can show, what a command has found, and what the plan does not know. */
export async function checkSet(tx: Tx, { effort, declared, step, set }: Setting): Promise<void> {
  const names = Object.keys(set)
  if (names.length === 0) return
  const proved = names.find((one) => mustBeProved(declared, one))
  if (proved !== undefined)
    throw new EngineError(
      'refused',
      `A command must prove ${quoted(proved)}, so --set cannot give it a value.`,
      { field: 'set', hint: proveCommand(effort.id, proved) },
    )
  const asked = decidingNames(step)
  const found = (await foundBy(tx, effort.id)).find((one) => names.includes(one) && !asked.includes(one))
  const hint = showCommand(effort.id)
  if (found !== undefined)
    throw new EngineError(
      'refused',
      `A command of the plan has found ${quoted(found)}, so --set cannot give it another value.`,
      { field: 'set', hint },
    )
  if (declared === undefined || isPrinted(declared)) return
  const known = settableIn(declared)
  const unknown = names.find((one) => !known.includes(one))
  if (unknown === undefined) return
  const has = known.length === 0 ? 'none' : listed([...new Set(known)], 400)
  throw new EngineError('invalid', `The plan has no variable ${quoted(unknown)}; it has ${has}.`, {
    field: 'set',
    hint,
  })
}

const FOUND = 'found'

async function foundBy(tx: Tx, effort_id: number): Promise<readonly string[]> {
  const row = await findPlanState(tx, { effort_id, name: FOUND })
  return fromJson<readonly string[]>(row?.value ?? null, [])
}

/** Notes which values a command of the plan has found. */
export async function noteFound(
  tx: Tx,
  { effort_id, set }: { readonly effort_id: number; readonly set: Values },
  { now }: Call,
): Promise<void> {
  const names = Object.keys(set)
  if (names.length === 0) return
  const all = [...new Set([...(await foundBy(tx, effort_id)), ...names])]
  await putPlanState(tx, { effort_id, name: FOUND, value: JSON.stringify(all), now })
}

/** Keeps the values that a move sets, and reads the plan again, which they may change. */
export async function keepValues<State extends Followed & { readonly effort: Effort }>(
  tx: Tx,
  state: State,
  { values, files }: { readonly values: Values; readonly files: SeenFiles },
  call: Call,
): Promise<State> {
  if (Object.keys(values).length === 0) return state
  await setVariables(tx, { effort_id: state.effort.id, set: values }, call)
  return { ...state, ...(await followedBy(tx, state.effort, files)) }
}
