import { begin, type Progress } from '../model/advance.ts'
import { demandOf, recordCommand } from '../model/evidence.ts'
import { type Plan, stepOf } from '../model/plan.ts'
import { nextSteps, owedBy, visit } from '../model/visit.ts'
import type { Facts, Rule, SkillFacts, TouchedSkill } from './rule.ts'

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
  const { plan, progress, recorded } = skill
  if (plan === undefined || id === undefined) return undefined
  const isOpen = spans.some((span) => span.skill === skill.name)
  if (!isOpen && level !== 'strict') return undefined
  const now = progress ?? begin(plan)
  const entry = visit(plan, now, id, recorded)
  if (entry.ok) return undefined
  const needs = entry.missing.map((artifact) => {
    const state = recorded.stale.has(artifact) ? ', changed since it was recorded' : ''
    return `${artifact} (from ${producersOf(plan, artifact)}${state})`
  })
  const why =
    needs.length === 0 ? entry.why : `Step ${stepOf(plan, id)?.label ?? id} needs ${needs.join(', ')}.`
  return `${why} ${wayOn(skill, plan, { now, missing: entry.missing, path })}`
}

/** What was begun is recorded before anything else is begun. */
function wayOn(
  { recorded, effort }: SkillFacts,
  plan: Plan,
  { now, missing, path }: { now: Progress; missing: readonly string[]; path: string },
): string {
  const begun = plan.steps.filter((step) => now.visits[step.id] !== undefined)
  const late = missing.filter((artifact) => begun.some(({ produces }) => produces.includes(artifact)))
  const owed = missing.length === 0 ? owedBy(plan, now, recorded) : plan.gate === 'visited' ? [] : late
  if (owed.length > 0 && effort !== undefined) {
    const commands = owed.map((name) => recordCommand(effort.id, name, demandOf(plan.demands, name)))
    return `When that is done, run ${commands.join(' && ')}, then read ${path} again.`
  }
  const [next] = nextSteps(plan, now, recorded)
  const file = next === undefined ? undefined : stepOf(plan, next)?.place.file
  return file === undefined
    ? 'Ask the user how to go on.'
    : `Do step ${next} first: read ${file}, then read ${path} again.`
}

const producersOf = (plan: Plan, artifact: string): string =>
  plan.steps
    .filter(({ produces }) => produces.includes(artifact))
    .map(({ label }) => label)
    .join(' or ')
