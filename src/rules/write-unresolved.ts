import { isHeldUp } from './directive-gate.ts'
import type { Rule } from './rule.ts'
import { mayBeEdit } from './session-gate.ts'

/** What a command writes by a variable is let through; where a gate would have asked, that nobody could tell is kept. */
export const writeUnresolved: Rule = {
  name: 'write-unresolved',
  summary: 'records a command that may write past a gate in a way that only running it would tell',
  on: ['tool.before'],
  judge(event, facts) {
    const { unsureWrite: command, watch } = facts
    if (command === undefined) return undefined
    const directives = facts.directives.map((one) => ({ ...one, isWritten: true }))
    const wouldAsk = mayBeEdit(facts, watch) || isHeldUp(event, { ...facts, directives })
    return wouldAsk ? { changes: [{ kind: 'write.unresolved', command }] } : undefined
  },
}
