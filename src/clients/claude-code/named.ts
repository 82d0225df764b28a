import type { HookEvent } from '../../model/event.ts'
import { EVENTS } from './encode.ts'

const NAMES: ReadonlyMap<HookEvent['kind'], string> = new Map(
  [...EVENTS].map(([name, { kind }]) => [kind, name]),
)

/** The payload as one of this kind; what is no payload stays as it is. */
export function named(payload: unknown, kind: HookEvent['kind']): unknown {
  const name = NAMES.get(kind)
  return name === undefined || typeof payload !== 'object' || payload === null
    ? payload
    : { ...payload, hook_event_name: name }
}
