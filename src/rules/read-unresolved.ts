import type { Change } from '../model/change.ts'
import { rule } from './rule.ts'

/** What a command reads by a variable, or by a program of its own, is let through; that nobody could tell is kept. */
export const readUnresolved = rule({
  name: 'read-unresolved',
  summary: 'records a command that may read steps in a way that only running it would tell',
  on: ['tool.before'],
  wakes: ({ unsure }) => unsure !== undefined,
  needs: ['unsure', 'spans'],
  judge(_, { unsure, spans }) {
    if (unsure === undefined) return undefined
    const { why, command, named } = unsure
    const changes = [...new Set(spans.map(({ skill }) => skill))].flatMap((skill): Change[] => {
      const steps = named.flatMap((one) => (one.skill.name === skill ? (one.step ?? []) : []))
      // A program that names no step is none of our business; a variable may stand for one of what is carried out.
      const isCarriedOut = spans.some((span) => span.skill === skill && span.effort_id !== null)
      const concerns = steps.length > 0 || (why === 'variable' && isCarriedOut)
      return concerns ? [{ kind: 'read.unresolved', why, command, skill, steps: [...new Set(steps)] }] : []
    })
    return changes.length === 0 ? undefined : { changes }
  },
})
