import type { HookEvent } from '../model/event.ts'
import type { Session } from '../model/session.ts'
import { CONTEXT_MARKS, contextMark } from '../model/watch.ts'
import { rule } from './rule.ts'
import { contextFull } from './told/words.ts'

/** An agent that knows its context is nearly full can save its notes before a compaction. */
export const contextBudget = rule({
  name: 'context-budget',
  summary: 'warns at 73 % and again at 80 % of the context window, once per crossing, and says what is saved',
  setting: 'context_warnings',
  on: ['tool.after', 'prompt.submitted'],
  wakes: ({ event }, { session }) => isContextNews(event, session),
  needs: ['work'],
  judge(event, { session, work }) {
    if (!isContextNews(event, session)) return undefined
    const mark = contextMark(session.context_usage)
    const told = { kind: 'context.told', mark, usage: session.context_usage } as const
    if (mark < session.context_told) return { changes: [told] }
    const percent = Math.floor((session.context_usage ?? 0) * 100)
    // Without an effort there is no log, but the next session reads the queue.
    const keep = work === undefined ? 'queue add "..."' : `log "..." --effort ${work.effort.id}`
    const lines = [
      `${contextFull(percent)}${mark === CONTEXT_MARKS[0] ? '' : ' The client may compact it at any moment.'}`,
      work === undefined
        ? 'No effort is active, so only files on disk and the queue are saved.'
        : 'Saved: the state of the work (below), the log and everything recorded. You will read it again after a compaction.',
      `Not saved: what only you know, such as decisions, failed attempts and your next step. ${
        mark === CONTEXT_MARKS[0] ? 'Soon' : 'Now'
      } run: holdfast ${keep}`,
    ]
    return { contexts: [lines.join('\n')], changes: [told], tellsStanding: true }
  },
})

/** True if usage passed a new mark, or fell below the last one so that it can pass again. */
const isContextNews = (event: HookEvent, session: Session): boolean =>
  (event.kind === 'tool.after' || event.kind === 'prompt.submitted') &&
  contextMark(session.context_usage) !== session.context_told
