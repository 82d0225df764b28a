import type { Heard, Honours } from '../../../src/model/client.ts'
import type { Decision } from '../../../src/model/decision.ts'
import type { HookEvent, PlainEvent } from '../../../src/model/event.ts'
import { cutTo } from '../../../src/model/text/kept.ts'
import { fieldsOf } from './decode.ts'

const LONGEST = 10_000

/** The events of the toy, and the parts of an answer that it supports. */
export const EVENTS: ReadonlyMap<string, Honours> = new Map<string, Honours>([
  ['start', { kind: 'session.started', context: ['allow'], notice: ['allow'] }],
  ['prompt', { kind: 'prompt.submitted', context: ['allow'], notice: [] }],
  [
    'before',
    { kind: 'tool.before', block: 'the call is refused', context: ['allow'], notice: ['allow', 'block'] },
  ],
  ['after', { kind: 'tool.after', context: ['allow'], notice: [] }],
])

/** The payload as one of this kind. */
export function named(payload: unknown, kind: HookEvent['kind']): unknown {
  const name = [...EVENTS].find(([, honours]) => honours.kind === kind)?.[0]
  return name === undefined || typeof payload !== 'object' || payload === null
    ? payload
    : { ...payload, on: name }
}

/** Plain fields under the names of the toy. */
export const payload = ({ session, cwd, prompt, tool }: PlainEvent): object => ({
  talk: session,
  dir: cwd,
  text: prompt,
  call: tool?.id,
  ...tool?.input,
})

/** `stop` with the reason, or `tell` with the context for the agent; `show` is for the user. */
export function encode(decision: Decision, { kind, name }: HookEvent): unknown {
  const honours = kind === 'other' ? undefined : EVENTS.get(name ?? '')
  if (honours === undefined) return undefined
  const reason = decision.kind === 'block' ? decision.reason : ''
  const isRefused = decision.kind === 'block' && honours.block !== undefined
  const { notice = '' } = decision
  const show = notice !== '' &&
    honours.notice.includes(isRefused ? 'block' : 'allow') && { show: cutTo(notice, LONGEST) }
  if (isRefused) return { stop: cutTo(reason, LONGEST), ...show }
  const text = [reason, ...decision.contexts].filter((one) => one !== '').join('\n')
  const reply = { ...(text !== '' && { tell: cutTo(text, LONGEST) }), ...show }
  return Object.keys(reply).length === 0 ? undefined : reply
}

/** What the toy reads from a reply. */
export function heard(text: string): Heard {
  if (text === '') return 'nothing'
  const { stop, tell, show, ...rest } = fieldsOf(parsed(text))
  if (Object.keys(rest).length > 0) return 'unreadable'
  if (typeof stop === 'string') return 'refusal'
  if (typeof tell === 'string') return 'context'
  return typeof show === 'string' ? 'nothing' : 'unreadable'
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
