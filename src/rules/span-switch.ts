import { isStrict } from '../model/level.ts'
import type { Facts, TouchedSkill } from './facts.ts'
import { rule } from './rule.ts'
import { takeCharge } from './spans.ts'

/** Reading a skill's files puts that skill in charge and suspends the active one. */
export const spanSwitch = rule({
  name: 'span-switch',
  summary: 'puts the skill whose files are read in charge and suspends the previous one',
  on: ['tool.after'],
  wakes: ({ reads }) => reads.length > 0,
  needs: ['touched', 'spans', 'invoked'],
  judge(_, facts) {
    const last = facts.touched.findLast((touched) => isAtWork(touched, facts))
    if (last === undefined) return undefined
    return { changes: takeCharge(facts.spans, last.skill, { step: last.step }) }
  },
})

/** Reading a step file without a span of its skill is browsing, unless the project is strict. */
export const isAtWork = (
  { skill, step }: TouchedSkill,
  { spans, invoked, level }: Pick<Facts, 'spans' | 'invoked' | 'level'>,
): boolean =>
  step === undefined ||
  isStrict(level) ||
  spans.some((span) => span.skill === skill.name) ||
  invoked[0]?.skill.name === skill.name
