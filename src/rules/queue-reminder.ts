import { oneLine } from '../model/text/line.ts'
import { rule } from './rule.ts'

/** What was put aside is remembered when new work begins, which is when somebody decides what comes first. */
export const queueReminder = rule({
  name: 'queue-reminder',
  summary: 'says that something waits in the queue when the user calls a skill',
  on: ['prompt.submitted'],
  wakes: ({ invocations }) => invocations.length > 0,
  needs: ['invoked', 'queued'],
  judge(_, { invoked, queued }) {
    const [newest] = queued
    if (invoked.length === 0 || newest === undefined) return undefined
    const many =
      queued.length >= MOST_COUNTED
        ? `At least ${MOST_COUNTED} things wait`
        : queued.length === 1
          ? 'One thing waits'
          : `${queued.length} things wait`
    return {
      contexts: [
        `${many} in the queue; the newest: ${oneLine(newest.content, LONGEST)}. See: holdfast queue list; settle one: holdfast queue resolve ${newest.id} "what became of it"`,
      ],
    }
  },
})

const MOST_COUNTED = 20
const LONGEST = 200
