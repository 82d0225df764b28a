import { isCanary } from '../../model/canary.ts'
import type { HookEvent } from '../../model/event.ts'
import { oneLine } from '../../model/text/line.ts'
import type { ContextMeasure } from '../../model/session.ts'
import { statusLine } from '../../model/status-line.ts'
import { findOpenByNative, toSession } from '../../store/session.ts'
import { placeOfSession } from '../../store/workplace.ts'
import { workFor } from '../effort/at-work.ts'
import { noteCanary } from '../hook/canary.ts'
import { clientNamed, told } from '../hook/client-payload.ts'
import { method } from '../call/method.ts'

const LONGEST_LINE = 200

export const show = method({
  name: 'statusline.show',
  summary: 'Record the status line data of a client, and return the text to show.',
  effect: 'volatile',
  params: told,
  async run(tx, params, call) {
    const { volatile } = call.context.store
    const event = clientNamed(call.context, params.client).decode(params.payload)
    if (isCanary(event.session)) {
      noteCanary(call.context.store, event)
      return { line: '' }
    }
    const row =
      event.session === undefined ? undefined : await findOpenByNative(tx, { native_id: event.session })
    if (row === undefined) return { line: '' }
    const measure = measureIn(event)
    if (measure !== undefined) volatile.measure(toSession(row), measure)
    const session = volatile.overlay(toSession(row))
    const effort = await workFor(tx, session.effort_id, volatile)
    const isOff = call.context.config((await placeOfSession(tx, session))?.root ?? '').status_line === 'off'
    const line = effort === null || isOff ? '' : statusLine(effort.status, session.context_usage)
    return {
      line: oneLine(line, LONGEST_LINE),
      session_id: session.id,
      context: volatile.measureOf(session.id) ?? null,
    }
  },
})

/** A client reports no usage before the first reply of its model; values above 1 count as 1. */
function measureIn(event: HookEvent): ContextMeasure | undefined {
  if (event.kind !== 'context.measured' || event.percent === undefined) return undefined
  const { percent, tokens, window } = event
  return { usage: Math.min(Math.max(percent, 0), 100) / 100, tokens, window }
}
