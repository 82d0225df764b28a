import { rule } from './rule.ts'

/** What a hook saw is worth more than a word, and less than what we ran ourselves. */
export const evidenceSeen = rule({
  name: 'evidence-seen',
  summary:
    'records that a command which the plan names was seen to pass, and takes back what it proved when it failed',
  on: ['tool.after', 'tool.failed'],
  wakes: ({ seen }) => seen.length > 0,
  needs: ['seen'],
  judge: (_, { seen }) =>
    seen.length === 0 ? undefined : { changes: seen.map((run) => ({ kind: 'evidence.seen', run })) },
})
