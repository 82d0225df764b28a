import type { HookEvent, PlainEvent } from '../../model/event.ts'
import { EVENTS } from './encode.ts'

const NAMES: ReadonlyMap<HookEvent['kind'], string> = new Map(
  [...EVENTS].map(([name, { kind }]) => [kind, name]),
)

/** Names the payload as an event of this kind; an invalid payload stays unchanged. */
export function named(payload: unknown, kind: HookEvent['kind']): unknown {
  const name = NAMES.get(kind)
  return name === undefined || typeof payload !== 'object' || payload === null
    ? payload
    : { ...payload, hook_event_name: name }
}

/** Plain fields under the names of the client. */
export const payload = ({ session, cwd, prompt, source, tool }: PlainEvent): object => ({
  session_id: session,
  cwd,
  prompt,
  source,
  ...(tool !== undefined && {
    tool_name: tool.name,
    tool_use_id: tool.id,
    tool_input: tool.input,
    tool_response: tool.result,
  }),
})
