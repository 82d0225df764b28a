import type { Effort } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import { proveCommand } from '../../model/plan/evidence.ts'
import { mustBeProved } from '../../model/plan/next-action.ts'
import { splitPhase } from '../../model/plan/phase.ts'
import { type Plan, type Step, stepOf } from '../../model/plan/plan.ts'
import { valuesIn } from '../../model/plan/plan-for.ts'
import { quoted } from '../../model/text/line.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'
import { type Followed, followedBy, type Values } from './plan.ts'
import { setVariables } from './progress.ts'
import type { SeenFiles } from './recorded.ts'

type Fields = Readonly<Record<string, unknown>>
type Where = Pick<Followed, 'declared' | 'plan' | 'progress'>

/** The step that a word means: its id or its label, as `2` or `2: Build`, or its file. */
export function stepCalled({ steps }: Plan, word: string): Step | undefined {
  const { label } = splitPhase(word)
  return (
    steps.find(({ id }) => id === word) ??
    steps.find((step) => step.label === word) ??
    steps.find((step) => step.label === label) ??
    steps.find(({ place }) => place.file !== '' && place.file === word)
  )
}

/** The variables that the proof of the current steps sets, if another step is entered. */
export function valuesToEnter(of: Where, word: string | undefined, said: Fields): Values {
  const { plan, progress } = of
  const meant = word === undefined || plan === undefined ? undefined : stepCalled(plan, word)?.id
  const stays = word === undefined ? progress.current.length > 0 : progress.current.includes(meant ?? '')
  return stays ? {} : valuesToLeave(of, progress.current, said)
}

/** The variables that the proof of these steps sets; a field that they do not ask for sets none. */
export function valuesToLeave(
  { declared, progress }: Where,
  leaving: readonly string[],
  said: Fields,
): Values {
  if (declared === undefined) return {}
  const isNow = (id: string) => progress.current.includes(id) || progress.open.includes(id)
  const asked = leaving.filter(isNow).flatMap((id) => stepOf(declared, id)?.proof ?? [])
  const given = asked.flatMap((field) => (Object.hasOwn(said, field) ? [[field, said[field]] as const] : []))
  return valuesIn(declared, Object.fromEntries(given))
}

/** Refuses to set what only a command can show. */
export function checkSet(effortId: number, { declared }: Where, set: Values): void {
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
