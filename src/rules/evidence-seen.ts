import { NOT_BEGUN, wasBegun } from './told/begun.ts'
import { rule } from './rule.ts'

/** A run that a hook saw ranks above a claim and below a run of our own. */
export const evidenceSeen = rule({
  name: 'evidence-seen',
  summary:
    'records that a command of the plan ended as the plan expects, and withdraws its evidence otherwise',
  on: ['tool.after', 'tool.failed'],
  wakes: ({ seen }) => seen.length > 0,
  needs: ['seen'],
  judge(event, { seen, ...known }) {
    if (seen.length === 0) return undefined
    // A failure counts, no matter who reports it.
    const counted = wasBegun(event, known) ? seen : seen.filter(({ passed }) => !passed)
    const changes = counted.map((run) => ({ kind: 'evidence.seen', run }) as const)
    return { changes, ...(counted.length < seen.length && { contexts: [NOT_BEGUN] }) }
  },
})
