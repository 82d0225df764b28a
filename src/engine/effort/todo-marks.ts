import {
  checklistOf,
  type ChecklistItem,
  NO_MARKS,
  ownTodos,
  type TodoMarks,
  withMarks,
} from '../../model/checklist.ts'
import type { Effort } from '../../model/effort.ts'
import { lockEffort } from '../../store/effort.ts'
import { fromJson } from '../../store/json.ts'
import type { Tx } from '../../store/query.ts'
import { findPlanState, putPlanState } from '../../store/step.ts'
import type { Call } from '../call/method.ts'
import { appliedSkill } from '../plan/recorded.ts'

const NAME = 'todos'

/** The known state of the todos of an effort. */
export async function marksOf(tx: Tx, effortId: number): Promise<TodoMarks> {
  const row = await findPlanState(tx, { effort_id: effortId, name: NAME })
  return fromJson<TodoMarks>(row?.value ?? null, NO_MARKS)
}

/** The todos that the skill of an effort requires, with their state. */
export async function todosOf(tx: Tx, effort: Effort): Promise<readonly ChecklistItem[]> {
  const { skill } = await appliedSkill(tx, effort)
  const phases = (skill?.phases ?? []).map(({ name }) => name)
  const required = ownTodos(skill?.details?.required_todos ?? [], phases)
  return required.length === 0 ? [] : checklistOf(required, await marksOf(tx, effort.id))
}

/** Stores the state of todos, and records changes in the ledger. */
export async function markTodos(
  tx: Tx,
  heard: {
    readonly effortId: number
    readonly sessionId?: number
    readonly items: readonly { readonly text: string; readonly done: boolean }[]
  },
  call: Call,
): Promise<void> {
  const { effortId: effort_id, sessionId, items } = heard
  const effort = await lockEffort(tx, { id: effort_id })
  const { marks, news } = withMarks(await marksOf(tx, effort_id), items)
  if (effort === undefined || news.length === 0) return
  await putPlanState(tx, { effort_id, name: NAME, value: JSON.stringify(marks), now: call.now })
  for (const { text, done } of news)
    await call.record(tx, {
      event_type: done ? 'todo.done' : 'todo.listed',
      skill: effort.skill,
      effort_id,
      ...(sessionId !== undefined && { window_id: sessionId }),
      payload: { item: text },
    })
}
