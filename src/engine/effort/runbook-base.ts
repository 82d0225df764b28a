import { baseStepOf } from '../../model/runbook/plan.ts'
import type { Plan, Step } from '../../model/plan/plan.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'
import { keep, keptOf } from './runbook-kept.ts'

const name = 'runbook-bases'

/** Keeps the last commit before the first step of a phase; a later try of that step changes nothing. */
export async function keepBase(
  tx: Tx,
  { effort_id, plan, step, head }: { effort_id: number; plan: Plan; step: Step; head: string | undefined },
  call: Call,
): Promise<void> {
  if (head === undefined || baseStepOf(plan, step) !== step.id) return
  if ((await keptOf(tx, { effort_id, name, step: step.id })) !== undefined) return
  await keep(tx, { effort_id, name, step: step.id, word: head }, call)
}

/** The commit before what a review is about, if that is known: the review looks at what came after. */
export async function baseOf(tx: Tx, effort_id: number, plan: Plan, step: Step): Promise<string | undefined> {
  const first = baseStepOf(plan, step)
  return first === undefined ? undefined : await keptOf(tx, { effort_id, name, step: first })
}
