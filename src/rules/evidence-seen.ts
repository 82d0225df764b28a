import { rule } from './rule.ts'

/** A run that a hook saw ranks above a claim and below a run of our own. */
export const evidenceSeen = rule({
  name: 'evidence-seen',
  summary:
    'records that a command of the plan ended as the plan expects, and withdraws its evidence otherwise',
  on: ['tool.after', 'tool.failed'],
  wakes: ({ seen }) => seen.length > 0,
  needs: ['seen'],
  judge: (_, { seen }) =>
    seen.length === 0 ? undefined : { changes: seen.map((run) => ({ kind: 'evidence.seen', run })) },
})
