import { rule } from './rule.ts'
import { inQueue } from './told/words.ts'

/** Reminds of queued items when new work starts, because the user sets priorities then. */
export const queueReminder = rule({
  name: 'queue-reminder',
  summary: 'reports the open items of the queue when the user calls a skill',
  setting: 'queue_reminder',
  on: ['prompt.submitted'],
  wakes: ({ invocations }) => invocations.length > 0,
  needs: ['invoked', 'queued'],
  judge(_, { invoked, queued }) {
    const [newest] = queued
    if (invoked.length === 0 || newest === undefined) return undefined
    const many =
      queued.length >= MOST_COUNTED
        ? `${MOST_COUNTED} or more items`
        : queued.length === 1
          ? 'One item'
          : `${queued.length} items`
    return {
      contexts: [
        `${inQueue(many, newest.content)} To list: holdfast queue list. To close it: holdfast queue resolve ${newest.id} "what was done"`,
      ],
    }
  },
})

const MOST_COUNTED = 20
