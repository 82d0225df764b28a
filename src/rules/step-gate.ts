import { begin, type Progress } from '../model/plan/advance.ts'
import { recordCommands } from '../model/plan/evidence.ts'
import { listed, oneLine } from '../model/text/line.ts'
import { type Plan, stepOf } from '../model/plan/plan.ts'
import { nextSteps, owedBy, visit } from '../model/plan/visit.ts'
import type { SkillFacts, TouchedSkill } from './facts.ts'
import { rule } from './rule.ts'
import { isAtWork } from './span-switch.ts'
import { isHandOver } from './subagent-steps.ts'

/** A step may be read when what it consumes is there. Reading without a span is browsing, and is nobody's business. */
export const stepGate = rule({
  name: 'step-gate',
  summary: 'refuses a step file whose inputs are missing, and says which step comes first',
  on: ['tool.before', 'prompt.submitted'],
  wakes: ({ event, reads }) => reads.length > 0 || isHandOver(event),
  needs: ['touched', 'delegated', 'spans', 'invoked'],
  judge(event, facts) {
    // What a prompt mentions is attached by the client without a tool, and a prompt is not dropped for it.
    const isAttached = event.kind === 'prompt.submitted'
    let advice: string | undefined
    // To hand a step over is to begin it.
    for (const touched of [...facts.touched, ...(facts.delegated ?? [])]) {
      const refusal = refusalOf(touched, facts)
      if (refusal === undefined) continue
      const { skill, step = '' } = touched
      if (skill.enforceable && !isAttached)
        return { block: { reason: refusal, skill: skill.name, step, effort: skill.effort?.id } }
      const why = isAttached
        ? 'It came with the prompt'
        : `The plan of ${oneLine(skill.name)} is inferred or has errors`
      // One piece of it is enough, and must not hide a refusal of what else is read.
      advice ??= `${refusal} (${why}, so this is only advice.)`
    }
    return advice === undefined ? undefined : { contexts: [advice] }
  },
})

function refusalOf(touched: TouchedSkill, facts: Parameters<typeof isAtWork>[1]): string | undefined {
  const { skill, step: id, path } = touched
  const { plan, progress, recorded } = skill
  if (plan === undefined || id === undefined || skill.approved.includes(id)) return undefined
  if (!isAtWork(touched, facts)) return undefined
  const now = progress ?? begin(plan)
  const entry = visit(plan, now, id, recorded)
  if (entry.ok) return undefined
  const needs = entry.missing.map((artifact) => {
    const state = recorded.stale.has(artifact) ? ', changed since it was recorded' : ''
    return `${artifact} (from ${producersOf(plan, artifact)}${state})`
  })
  const label = oneLine(stepOf(plan, id)?.label ?? id)
  const why =
    needs.length === 0 ? oneLine(entry.why, LONGEST_WHY) : `Step ${label} needs ${listed(needs, ROOM)}.`
  return `${why} ${wayOn(skill, plan, { now, missing: entry.missing, path: oneLine(path) })}`
}

/** What was begun is recorded before anything else is begun. */
function wayOn(
  { recorded, effort }: SkillFacts,
  plan: Plan,
  { now, missing, path }: { now: Progress; missing: readonly string[]; path: string },
): string {
  const begun = plan.steps.filter((step) => Object.hasOwn(now.visits, step.id))
  const late = missing.filter((artifact) => begun.some(({ produces }) => produces.includes(artifact)))
  const owed = missing.length === 0 ? owedBy(plan, now, recorded) : plan.gate === 'visited' ? [] : late
  if (owed.length > 0 && effort !== undefined)
    return `When that is done, run ${recordCommands(effort.id, plan.demands, owed)}, then read ${path} again.`
  const open = nextSteps(plan, now, recorded).map((one) => stepOf(plan, one))
  const next = open.find((one) => one?.optional === false) ?? open[0]
  return next === undefined
    ? 'Ask the user how to go on.'
    : `Do step ${oneLine(next.label)} first: read ${oneLine(next.place.file)}, then read ${path} again.`
}

const ROOM = 2000
const LONGEST_WHY = 500

const producersOf = (plan: Plan, artifact: string): string =>
  plan.steps
    .filter(({ produces }) => produces.includes(artifact))
    .map(({ label }) => label)
    .join(' or ')
