import { baseStepOf } from '../../model/runbook/plan.ts'
import type { Plan, Step } from '../../model/plan/plan.ts'
import { fromJson } from '../../store/json.ts'
import type { Tx } from '../../store/query.ts'
import { findPlanState, putPlanState } from '../../store/step.ts'
import type { Call } from '../call/method.ts'

const BASES = 'runbook-bases'

type Bases = Readonly<Record<string, string>>

/** The last commit before the first step of each phase, by that step: a review looks at what came after. */
const basesOf = async (tx: Tx, effort_id: number): Promise<Bases> =>
  fromJson<Bases>((await findPlanState(tx, { effort_id, name: BASES }))?.value ?? null, {})

/** Keeps where a phase begins; a later try of its first step changes nothing. */
export async function keepBase(
  tx: Tx,
  { effort_id, plan, step, head }: { effort_id: number; plan: Plan; step: Step; head: string | undefined },
  { now }: Call,
): Promise<void> {
  if (head === undefined || baseStepOf(plan, step) !== step.id) return
  const before = await basesOf(tx, effort_id)
  if (Object.hasOwn(before, step.id)) return
  const value = JSON.stringify({ ...before, [step.id]: head })
  await putPlanState(tx, { effort_id, name: BASES, value, now })
}

/** The commit before what a review is about, if that is known. */
export async function baseOf(tx: Tx, effort_id: number, plan: Plan, step: Step): Promise<string | undefined> {
  const bases = await basesOf(tx, effort_id)
  const first = baseStepOf(plan, step)
  return first !== undefined && Object.hasOwn(bases, first) ? bases[first] : undefined
}
