import { rule } from './rule.ts'

/** An effort keeps its plan, so user and agent must know what became of an edit. */
export const planEdit = rule({
  name: 'plan-edit',
  summary: 'tells that the plan of the effort was edited, and whether the edit applies',
  on: ['prompt.submitted', 'tool.after'],
  wakes: (_, { watch }) => watch.hasNews === true,
  needs: ['planNews'],
  judge(_, { planNews }) {
    if (planNews === undefined) return undefined
    const { effort, line } = planNews
    return { contexts: [line], notice: line, changes: [{ kind: 'plan.told', effort }] }
  },
})
