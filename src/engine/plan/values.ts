import type { Effort } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import { proveCommand } from '../../model/plan/evidence.ts'
import { mustBeProved } from '../../model/plan/next-action.ts'
import type { Values } from '../../model/plan/plan-for.ts'
import { quoted } from '../../model/text/line.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'
import { type Followed, followedBy } from './plan.ts'
import { setVariables } from './progress.ts'
import type { SeenFiles } from './recorded.ts'

/** Refuses to set what only a command can show. */
export function checkSet(effortId: number, { declared }: Pick<Followed, 'declared'>, set: Values): void {
  const name = Object.keys(set).find((one) => mustBeProved(declared, one))
  if (name === undefined) return
  throw new EngineError('refused', `A command must prove ${quoted(name)}, so --set cannot give it a value.`, {
    field: 'set',
    hint: proveCommand(effortId, name),
  })
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
