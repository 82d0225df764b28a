import type { HookEvent } from '../../model/event.ts'
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
