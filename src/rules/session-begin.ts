import { isTracked } from '../model/effort.ts'
import type { HookEvent } from '../model/event.ts'
import type { OpenCall } from '../model/open-call.ts'
import type { Session } from '../model/session.ts'
import { rule } from './rule.ts'
import { takeCharge } from './spans.ts'

/** The end of a session completed its spans and lost its calls; a resumed session is at work again. */
export const sessionBegin = rule({
  name: 'session-begin',
  summary: 'puts the skill of a resumed session in charge again, and records calls of unknown outcome',
  on: ['session.started'],
  wakes: () => true,
  needs: ['work', 'spans'],
  judge(event, { work, spans, session }) {
    const lost = lostCalls(event, session)
    const isAtWork = spans.some(({ status }) => status === 'active')
    const back = isAtWork || work === undefined || !isTracked(work) ? [] : takeCharge(spans, work)
    return {
      changes: [...back, ...(lost.length === 0 ? [] : [{ kind: 'calls.unknown' as const, calls: lost }])],
    }
  },
})

/** A compaction ends no call: the client still reports its result. */
export const lostCalls = (event: HookEvent, { open_calls: open }: Session): readonly OpenCall[] =>
  event.kind === 'session.started' && event.source === 'compact' ? [] : open
