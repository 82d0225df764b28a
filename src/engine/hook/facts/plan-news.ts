import { PLAN_NEWS } from '../../../store/plan.ts'
import { findPlanState } from '../../../store/step.ts'
import type { Loader } from './loader.ts'

/** What the session has not heard yet of edits of its plan. */
export const planNews: Loader<'planNews'> = {
  looks: [],
  async load(tx, { window: { session } }) {
    const effort = session.effort_id
    const row = await findPlanState(tx, { effort_id: effort, name: PLAN_NEWS })
    return row === undefined ? undefined : { effort, line: row.value }
  },
}
