import { rule } from './rule.ts'

/** A run that a hook saw ranks above a claim and below a run of our own. */
export const evidenceSeen = rule({
  name: 'evidence-seen',
  summary: 'records that a command of the plan passed, and withdraws its evidence when it fails',
  on: ['tool.after', 'tool.failed'],
  wakes: ({ seen }) => seen.length > 0,
  needs: ['seen'],
  judge: (_, { seen }) =>
    seen.length === 0 ? undefined : { changes: seen.map((run) => ({ kind: 'evidence.seen', run })) },
})
