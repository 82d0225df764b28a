import type { Change } from '../model/change.ts'
import { isStrict } from '../model/level.ts'
import type { UnsureWhy } from '../model/subject.ts'
import { rule } from './rule.ts'
import { refusalOf } from './step-gate.ts'
import { namesStep, ofProcess } from './told/words.ts'

/** Records a command whose reads cannot be known from its text; a strict project refuses it if it names a step early. */
export const readUnresolved = rule({
  name: 'read-unresolved',
  summary: 'records a command that may read steps in a way that its text does not show; refuses it at strict',
  on: ['tool.before'],
  hearsSubagents: true,
  wakes: ({ event, unsure }, { watch }) =>
    unsure !== undefined && (event.subagent === undefined || watch.isStrict !== false),
  needs: ['unsure', 'spans', 'invoked', 'delegations', 'given'],
  judge(event, facts) {
    const { unsure, spans, level } = facts
    if (unsure === undefined || (event.subagent !== undefined && !isStrict(level))) return undefined
    const { why, command, named, mentioned } = unsure
    for (const touched of isStrict(level) ? named : []) {
      const { skill, step = '' } = touched
      const refusal = skill.enforceable ? refusalOf(touched, facts) : undefined
      if (refusal !== undefined)
        return {
          block: {
            reason: `${namesStep(why)} ${refusal}`,
            skill: skill.name,
            step,
            effort: skill.effort?.id,
          },
        }
    }
    const isTracked = (skill: string) => spans.some((span) => span.skill === skill && span.effort_id !== null)
    const held =
      why === 'process' && isStrict(level) ? spans.find(({ skill }) => isTracked(skill)) : undefined
    if (held !== undefined)
      return { block: { reason: ofProcess(command), skill: held.skill, effort: held.effort_id ?? undefined } }
    const changes = [...new Set(spans.map(({ skill }) => skill))].flatMap((skill): Change[] => {
      const all = [...named, ...mentioned]
      const steps = all.flatMap((one) => (one.skill.name === skill ? (one.step ?? []) : []))
      // What names no step does not matter, but an unknown name may be that of a step of tracked work.
      const concerns = steps.length > 0 || (UNKNOWN_NAMES.has(why) && isTracked(skill))
      return concerns ? [{ kind: 'read.unresolved', why, command, skill, steps: [...new Set(steps)] }] : []
    })
    return changes.length === 0 ? undefined : { changes }
  },
})

const UNKNOWN_NAMES: ReadonlySet<UnsureWhy> = new Set(['variable', 'limit', 'process'])
