import { begin, type Progress } from '../model/plan/advance.ts'
import type { Change } from '../model/change.ts'
import { visit, visitApproved } from '../model/plan/visit.ts'
import type { Facts, TouchedSkill } from './facts.ts'
import { rule } from './rule.ts'
import { isAtWork } from './span-switch.ts'

/** Reading a step starts it, and says nothing about what it produced. */
export const stepVisit = rule({
  name: 'step-visit',
  summary: 'records that a step started and which steps may follow',
  on: ['tool.after', 'prompt.submitted'],
  wakes: ({ reads }) => reads.length > 0,
  needs: ['touched', 'spans', 'invoked'],
  judge(_, facts) {
    const progresses = new Map<string, Progress>()
    const changes = facts.touched.flatMap((touched): Change[] => {
      const { skill, step } = touched
      if (step === undefined || skill.plan === undefined || !isAtWork(touched, facts)) return []
      const now = progresses.get(skill.name) ?? skill.progress ?? begin(skill.plan)
      const { plan, recorded } = skill
      const planned = visit(plan, now, step, recorded)
      const approved = !planned.ok && skill.approved.includes(step)
      const next = approved ? visitApproved(plan, now, step, recorded) : planned
      // Reading a step again, or a repeated delivery, changes nothing.
      if (next.ok ? next.progress === now : isNoted(touched, facts)) return []
      if (next.ok) progresses.set(skill.name, next.progress)
      const progress = next.ok ? next.progress : undefined
      return [{ kind: 'step.visited', skill: skill.name, step, progress, ...(approved && { approved }) }]
    })
    return changes.length === 0 ? undefined : { changes }
  },
})

/** A step started out of order does not count, and is recorded once. */
export const isNoted = (
  { skill, step = '' }: Pick<TouchedSkill, 'skill' | 'step'>,
  { spans }: Pick<Facts, 'spans'>,
): boolean => spans.some((span) => span.skill === skill.name && span.steps.includes(step))
