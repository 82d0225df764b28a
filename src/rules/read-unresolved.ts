import type { Change } from '../model/change.ts'
import { rule } from './rule.ts'

/** Allows a command whose reads cannot be known from its text, and records that. */
export const readUnresolved = rule({
  name: 'read-unresolved',
  summary: 'records a command that may read steps in a way that its text does not show',
  on: ['tool.before'],
  wakes: ({ unsure }) => unsure !== undefined,
  needs: ['unsure', 'spans'],
  judge(_, { unsure, spans }) {
    if (unsure === undefined) return undefined
    const { why, command, named } = unsure
    const changes = [...new Set(spans.map(({ skill }) => skill))].flatMap((skill): Change[] => {
      const steps = named.flatMap((one) => (one.skill.name === skill ? (one.step ?? []) : []))
      // A program that names no step does not matter; a variable may stand for a step of tracked work.
      const isCarriedOut = spans.some((span) => span.skill === skill && span.effort_id !== null)
      const concerns = steps.length > 0 || (why === 'variable' && isCarriedOut)
      return concerns ? [{ kind: 'read.unresolved', why, command, skill, steps: [...new Set(steps)] }] : []
    })
    return changes.length === 0 ? undefined : { changes }
  },
})
