import type { HookEvent } from './event.ts'
import { scopeId } from './session.ts'

/** The stop of a sub-agent as the end of a turn in its own scope. */
export function stopInScope(event: HookEvent): HookEvent | undefined {
  const own = inScope(event)
  return own === undefined || event.kind !== 'subagent.stopped'
    ? undefined
    : { ...event, session: own.session, subagent: undefined, transcript: undefined, kind: 'turn.stopped' }
}

/** An event of a sub-agent as its own scope sees it, where the sub-agent is the main thread. */
export function inScope(event: HookEvent): HookEvent | undefined {
  const { session, subagent } = event
  if (session === undefined || subagent === undefined) return undefined
  // The transcript is the main thread's.
  const own = { session: scopeId(session, subagent.id), subagent: undefined, transcript: undefined }
  switch (event.kind) {
    case 'subagent.started':
      return { ...event, ...own, kind: 'session.started', source: 'resume' }
    case 'subagent.stopped':
    case 'turn.failed':
      return { ...event, ...own, kind: 'session.ended', reason: event.kind }
    default:
      return { ...event, ...own }
  }
}
