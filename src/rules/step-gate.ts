import { begin } from '../model/advance.ts'
import { type Plan, stepOf } from '../model/plan.ts'
import { nextSteps, visit } from '../model/visit.ts'
import type { Facts, Rule, TouchedSkill } from './rule.ts'

/** A step may be read when what it consumes is there. Reading without a span is browsing, and is nobody's business. */
export const stepGate: Rule = {
  name: 'step-gate',
  summary: 'refuses a step file whose inputs are missing, and says which step comes first',
  on: ['tool.before'],
  judge(_, facts) {
    for (const touched of facts.touched) {
      const refusal = refusalOf(touched, facts)
      if (refusal === undefined) continue
      const { skill, step = '' } = touched
      if (!skill.enforceable)
        return { contexts: [`${refusal} (The plan of ${skill.name} is inferred, so this is only advice.)`] }
      return { block: { reason: refusal, skill: skill.name, step } }
    }
    return undefined
  },
}

function refusalOf({ skill, step: id, path }: TouchedSkill, { spans, level }: Facts): string | undefined {
  const { plan, progress } = skill
  if (plan === undefined || id === undefined || skill.approved.includes(id)) return undefined
  const isOpen = spans.some((span) => span.skill === skill.name)
  if (!isOpen && level !== 'strict') return undefined
  const now = progress ?? begin(plan)
  const entry = visit(plan, now, id)
  if (entry.ok) return undefined
  const step = stepOf(plan, id)
  const needs = entry.missing.map((artifact) => `${artifact} (from ${producersOf(plan, artifact)})`)
  const [next] = nextSteps(plan, now)
  const [file] = next === undefined ? [] : [stepOf(plan, next)?.place.file]
  const why = needs.length === 0 ? entry.why : `Step ${step?.label ?? id} needs ${needs.join(', ')}.`
  const how =
    file === undefined
      ? 'Ask the user how to go on.'
      : `Do step ${next} first: read ${file}, then read ${path} again.`
  return `${why} ${how}`
}

const producersOf = (plan: Plan, artifact: string): string =>
  plan.steps
    .filter(({ produces }) => produces.includes(artifact))
    .map(({ label }) => label)
    .join(' or ')
