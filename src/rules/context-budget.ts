import type { HookEvent } from '../model/event.ts'
import type { Session } from '../model/session.ts'
import { CONTEXT_MARKS, contextMark } from '../model/watch.ts'
import { rule } from './rule.ts'

/** An agent that knows how little room is left can finish a thought before its context is compacted. */
export const contextBudget = rule({
  name: 'context-budget',
  summary: 'warns at 73 % of the context window and urges at 80 %, once per crossing, telling what is saved',
  on: ['tool.after', 'prompt.submitted'],
  wakes: ({ event }, { session }) => isContextNews(event, session),
  needs: ['work'],
  judge(event, { session, work }) {
    if (!isContextNews(event, session)) return undefined
    const mark = contextMark(session.context_usage)
    const told = { kind: 'context.told', mark, usage: session.context_usage } as const
    if (mark < session.context_told) return { changes: [told] }
    const percent = Math.floor((session.context_usage ?? 0) * 100)
    const effort = work === undefined ? '' : ` --effort ${work.effort.id}`
    const lines = [
      `The context window is ${percent} % full.${mark === CONTEXT_MARKS[0] ? '' : ' It may be compacted at any moment.'}`,
      work === undefined
        ? 'No effort is active, so nothing of this work is saved but what is in files.'
        : 'Saved already, and told again after a compaction: where the work stands (below), the log, and all that was recorded.',
      `Not saved is what only you know: decisions, what failed, what you were about to do. ${
        mark === CONTEXT_MARKS[0] ? 'Soon' : 'Now'
      } run: holdfast log "..."${effort}`,
    ]
    return { contexts: [lines.join('\n')], changes: [told], tellsStanding: true }
  },
})

/** A mark was passed that was not told, or the window has become emptier, so that it can be passed again. */
const isContextNews = (event: HookEvent, session: Session): boolean =>
  (event.kind === 'tool.after' || event.kind === 'prompt.submitted') &&
  contextMark(session.context_usage) !== session.context_told
