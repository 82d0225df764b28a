import { fromJson } from '../../store/json.ts'
import type { Tx } from '../../store/query.ts'
import { findPlanState, putPlanState } from '../../store/step.ts'
import type { Call } from '../call/method.ts'

/** What is kept of steps besides progress: where their phase began, and the report before a try. */
type Kept = 'runbook-bases' | 'runbook-reports'

type Words = Readonly<Record<string, string>>

const wordsOf = async (tx: Tx, effort_id: number, name: Kept): Promise<Words> =>
  fromJson<Words>((await findPlanState(tx, { effort_id, name }))?.value ?? null, {})

/** The word that is kept of a step. */
export async function keptOf(
  tx: Tx,
  { effort_id, name, step }: { effort_id: number; name: Kept; step: string },
): Promise<string | undefined> {
  const words = await wordsOf(tx, effort_id, name)
  return Object.hasOwn(words, step) ? words[step] : undefined
}

/** Keeps a word of a step, in the place of the one before. */
export async function keep(
  tx: Tx,
  { effort_id, name, step, word }: { effort_id: number; name: Kept; step: string; word: string },
  { now }: Call,
): Promise<void> {
  const before = await wordsOf(tx, effort_id, name)
  await putPlanState(tx, { effort_id, name, value: JSON.stringify({ ...before, [step]: word }), now })
}
