import type { TouchedDirective } from '../model/directive.ts'
import type { HookEvent } from '../model/event.ts'
import { isHeldUp } from './directive-gate.ts'
import type { Window } from './facts.ts'
import { rule } from './rule.ts'
import { mayBeEdit } from './session-gate.ts'
import { holdsBack } from './write-gate.ts'

/** Allows a command whose writes cannot be known from its text, and records that if a gate applies. */
export const writeUnresolved = rule({
  name: 'write-unresolved',
  summary: 'records a command that may write past a gate in a way that its text does not show',
  on: ['tool.before'],
  hearsSubagents: true,
  wakes: (subject, window) =>
    subject.unsureWrite !== undefined &&
    (window.watch.gatesWrites === true || mayPassGate(subject.event, { ...subject, ...window })),
  needs: ['unsureWrite', 'directives', 'reads', 'work'],
  judge: (event, facts) =>
    facts.unsureWrite !== undefined && (mayPassGate(event, facts) || holdsBack(facts.work))
      ? { changes: [{ kind: 'write.unresolved', command: facts.unsureWrite }] }
      : undefined,
})

interface MayPass extends Window {
  readonly unsureWrite?: string | undefined
  readonly directives: readonly TouchedDirective[]
  readonly reads: readonly string[]
}

/** True if a gate of the main thread would apply, depending on what the command writes. */
function mayPassGate(event: HookEvent, given: MayPass): boolean {
  if (event.subagent !== undefined) return false
  const directives = given.directives.map((one) => ({ ...one, isWritten: true }))
  return mayBeEdit(given, given.watch) || isHeldUp(event, { ...given, directives })
}
