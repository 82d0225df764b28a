import { rule } from './rule.ts'

/** A span ends with its session; the effort waits for the next session. */
export const sessionEnd = rule({
  name: 'session-end',
  summary: 'completes the spans of a session that ends; its effort continues in the next session',
  on: ['session.ended'],
  wakes: () => true,
  needs: ['spans'],
  judge: (_, { spans }) => ({
    changes: spans.map(({ span_id: span }) => ({ kind: 'span.completed', span })),
  }),
})
