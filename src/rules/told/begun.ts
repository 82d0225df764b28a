import type { HookEvent } from '../../model/event.ts'
import { isStrict } from '../../model/level.ts'
import type { KnownFacts } from '../facts.ts'

/** True if a call was told before it ran, and allowed; only strict asks for that, because a report can be forged. */
export function wasBegun(
  event: HookEvent,
  { level, session }: Pick<KnownFacts, 'level' | 'session'>,
): boolean {
  if (!isStrict(level) || (event.kind !== 'tool.after' && event.kind !== 'tool.failed')) return true
  return session.open_calls.some(({ id }) => id === event.tool.id)
}

/** The answer to a call that does not count. */
export const NOT_BEGUN =
  'This call does not count, because Holdfast did not see it before it ran. Next: make the same call again.'
