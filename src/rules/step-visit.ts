import { begin, type Progress } from '../model/plan/advance.ts'
import type { Change } from '../model/change.ts'
import { addSeen, type Seen } from '../model/plan/shown.ts'
import { isPartly, visit, visitApproved } from '../model/plan/visit.ts'
import { NOT_BEGUN, wasBegun } from './told/begun.ts'
import type { Facts, TouchedSkill } from './facts.ts'
import { rule } from './rule.ts'
import { isAtWork } from './span-switch.ts'

/** Reading a step starts it, and says nothing about what it produced. A part of a step does not count as read. */
export const stepVisit = rule({
  name: 'step-visit',
  summary: 'records that a step started, how much of it was shown, and which steps may follow',
  on: ['tool.after', 'tool.failed', 'prompt.submitted'],
  wakes: ({ reads }) => reads.length > 0,
  needs: ['touched', 'spans', 'invoked'],
  judge(event, facts) {
    const { kind } = event
    const progresses = new Map<string, Progress>()
    const shown = new Map<string, Seen>()
    const changes = facts.touched.flatMap((touched): Change[] => {
      const { skill, step } = touched
      if (step === undefined || skill.plan === undefined || !isAtWork(touched, facts)) return []
      // A command that failed counts only by what it is known to have shown.
      if (kind === 'tool.failed' && touched.seen === undefined) return []
      const now = progresses.get(skill.name) ?? skill.progress ?? begin(skill.plan)
      const { plan, recorded } = skill
      const key = `${skill.name}/${step}`
      const before = shown.get(key) ?? skill.seen?.[step]
      const seen = touched.seen === undefined ? undefined : addSeen(before, touched.seen)
      const partly = seen !== undefined && seen.missing.length > 0
      const planned = visit(plan, now, step, recorded, { partly })
      const approved = !planned.ok && skill.approved.includes(step)
      const next = approved ? visitApproved(plan, now, step, recorded, { partly }) : planned
      // Reading a step again, or a repeated delivery, changes nothing.
      const isOld = next.ok && next.progress === now && !(isPartly(now, step) && showsMore(before, seen))
      if (next.ok ? isOld : isNoted(touched, facts)) return []
      if (next.ok) progresses.set(skill.name, next.progress)
      if (seen !== undefined) shown.set(key, seen)
      const progress = next.ok ? next.progress : undefined
      const isKept = partly || before !== undefined
      return [
        {
          kind: 'step.visited',
          skill: skill.name,
          step,
          progress,
          ...(approved && { approved }),
          ...(isKept && { seen: seen ?? ALL }),
        },
      ]
    })
    if (changes.length === 0) return undefined
    return wasBegun(event, facts) ? { changes } : { contexts: [NOT_BEGUN] }
  },
})

/** Nothing is left to show. */
const ALL: Seen = { digest: '', total: 0, missing: [] }

const showsMore = (before: Seen | undefined, now: Seen | undefined): boolean =>
  now !== undefined && (before?.digest !== now.digest || now.missing.length < before.missing.length)

/** A step started out of order does not count, and is recorded once. */
export const isNoted = (
  { skill, step = '' }: Pick<TouchedSkill, 'skill' | 'step'>,
  { spans }: Pick<Facts, 'spans'>,
): boolean => spans.some((span) => span.skill === skill.name && span.steps.includes(step))
