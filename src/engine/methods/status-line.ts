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
import { nextInSession } from '../../store/continuation.ts'
import type { Tx } from '../../store/query.ts'
import { type Call, method } from '../call/method.ts'

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
    const next = isOff ? undefined : await nextSkill(tx, event.session ?? '', call)
    const text = [...(effort === null ? [] : [effort.status]), ...(next === undefined ? [] : [`→ /${next}`])]
    const line = text.length === 0 || isOff ? '' : statusLine(text.join(' '), session.context_usage)
    return {
      line: oneLine(line, LONGEST_LINE),
      session_id: session.id,
      context: volatile.measureOf(session.id) ?? null,
    }
  },
})

/** The next skill of the chain of a session. */
async function nextSkill(tx: Tx, session_id: string, { context }: Call): Promise<string | undefined> {
  const known = context.store.volatile.openWindows.get(session_id)
  if (known?.watch.hasChain === false) return undefined
  return (await nextInSession(tx, { session_id }))?.skill
}

/** A client reports no usage before the first reply of its model; values above 1 count as 1. */
function measureIn(event: HookEvent): ContextMeasure | undefined {
  if (event.kind !== 'context.measured' || event.percent === undefined) return undefined
  const { percent, tokens, window } = event
  return { usage: Math.min(Math.max(percent, 0), 100) / 100, tokens, window }
}
