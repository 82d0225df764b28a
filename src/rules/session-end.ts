import { rule } from './rule.ts'

/** With its session a span is over; what was worked on waits for the next one. */
export const sessionEnd = rule({
  name: 'session-end',
  summary: 'completes the spans of a session that ends; its effort goes on in the next one',
  on: ['session.ended'],
  wakes: () => true,
  needs: ['spans'],
  judge: (_, { spans }) => ({
    changes: spans.map(({ span_id: span }) => ({ kind: 'span.completed', span })),
  }),
})
