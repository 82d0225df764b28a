import type { TouchedDirective } from '../model/directive.ts'
import type { HookEvent } from '../model/event.ts'
import { isHeldUp } from './directive-gate.ts'
import type { Window } from './facts.ts'
import { rule } from './rule.ts'
import { mayBeEdit } from './session-gate.ts'

/** What a command writes by a variable is let through; where a gate would have asked, that nobody could tell is kept. */
export const writeUnresolved = rule({
  name: 'write-unresolved',
  summary: 'records a command that may write past a gate in a way that only running it would tell',
  on: ['tool.before'],
  wakes: (subject, window) => mayPassGate(subject.event, { ...subject, ...window }),
  needs: ['unsureWrite', 'directives', 'reads'],
  judge: (event, facts) =>
    facts.unsureWrite !== undefined && mayPassGate(event, facts)
      ? { changes: [{ kind: 'write.unresolved', command: facts.unsureWrite }] }
      : undefined,
})

interface MayPass extends Window {
  readonly unsureWrite?: string | undefined
  readonly directives: readonly TouchedDirective[]
  readonly reads: readonly string[]
}

/** Whether a gate would have asked, had it known what the command writes. */
function mayPassGate(event: HookEvent, given: MayPass): boolean {
  if (given.unsureWrite === undefined) return false
  const directives = given.directives.map((one) => ({ ...one, isWritten: true }))
  return mayBeEdit(given, given.watch) || isHeldUp(event, { ...given, directives })
}
