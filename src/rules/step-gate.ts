import { begin, type Progress } from '../model/plan/advance.ts'
import { doneCommands } from '../model/plan/next-action.ts'
import { listed, oneLine, quoted } from '../model/text/line.ts'
import { type Plan, stepOf } from '../model/plan/plan.ts'
import { nextSteps, owedBy, visit } from '../model/plan/visit.ts'
import type { Facts, HandedOver, SkillFacts, TouchedSkill } from './facts.ts'
import { rule } from './rule.ts'
import { isAtWork } from './span-switch.ts'
import { isHandOver } from './subagent-steps.ts'
import { needs, productOf, stepToDo, withSubagent } from './told/words.ts'

/** A step may be read once its inputs exist. Reading without a span is browsing and always passes. */
export const stepGate = rule({
  name: 'step-gate',
  summary: 'refuses a step file whose inputs are missing, and names the next step',
  on: ['tool.before', 'prompt.submitted'],
  wakes: ({ event, reads }) => reads.length > 0 || isHandOver(event),
  needs: ['touched', 'delegated', 'delegations', 'spans', 'invoked'],
  judge(event, facts) {
    // The client attaches files that a prompt mentions without a tool call; dropping the prompt would be too much.
    const isAttached = event.kind === 'prompt.submitted'
    let advice: string | undefined
    // Handing a step to a sub-agent starts it.
    for (const touched of [...facts.touched, ...(facts.delegated ?? [])]) {
      const refusal = refusalOf(touched, facts)
      if (refusal === undefined) continue
      const { skill, step = '' } = touched
      if (skill.enforceable && !isAttached)
        return { block: { reason: refusal, skill: skill.name, step, effort: skill.effort?.id } }
      const why = isAttached
        ? 'the file came with the prompt'
        : `the plan of skill ${quoted(skill.name)} is inferred or has errors`
      // One advice is enough, and must not hide the refusal of another file.
      advice ??= `${refusal} (Advice only: ${why}.)`
    }
    return advice === undefined ? undefined : { contexts: [advice] }
  },
})

type GateFacts = Parameters<typeof isAtWork>[1] & Pick<Facts, 'delegations'>

function refusalOf(touched: TouchedSkill, facts: GateFacts): string | undefined {
  const { skill, step: id, path } = touched
  const { plan, progress, recorded } = skill
  if (plan === undefined || id === undefined || skill.approved.includes(id)) return undefined
  if (!isAtWork(touched, facts)) return undefined
  const now = progress ?? begin(plan)
  const entry = visit(plan, now, id, recorded)
  if (entry.ok) return undefined
  const label = stepOf(plan, id)?.label ?? id
  const why =
    entry.missing.length === 0
      ? oneLine(entry.why, LONGEST_WHY)
      : `${needs(label, inputsOf(plan, entry.missing, recorded.stale))}.`
  const waits = waitFor(skill, plan, { missing: entry.missing, delegations: facts.delegations ?? [] })
  return `${why} ${waits ?? wayOn(skill, plan, { now, missing: entry.missing, id, path: oneLine(path) })}`
}

/** A step that a sub-agent has is not for the main thread to do. */
function waitFor(
  { name, effort }: SkillFacts,
  plan: Plan,
  { missing, delegations }: { missing: readonly string[]; delegations: readonly HandedOver[] },
): string | undefined {
  const away = new Set(
    delegations
      .filter((one) => one.skill.name === name && one.effort === effort?.id)
      .flatMap(({ steps }) => steps),
  )
  const awaited = plan.steps.filter(
    ({ id, produces }) => away.has(id) && missing.some((artifact) => produces.includes(artifact)),
  )
  return awaited.length === 0 ? undefined : withSubagent(awaited.map(({ label }) => label))
}

/** Missing artifacts with the steps that produce them. */
function inputsOf(plan: Plan, missing: readonly string[], stale: ReadonlySet<string>): string {
  const products = missing.map((artifact) => {
    const state = stale.has(artifact) ? ' (its files changed after it was recorded)' : ''
    return `${productOf(artifact, producersOf(plan, artifact))}${state}`
  })
  return listed(products, ROOM)
}

/** Started steps are recorded before another one starts. */
function wayOn(
  { recorded, effort }: SkillFacts,
  plan: Plan,
  { now, missing, id, path }: { now: Progress; missing: readonly string[]; id: string; path: string },
): string {
  const begun = plan.steps.filter((step) => Object.hasOwn(now.visits, step.id))
  const late = missing.filter((artifact) => begun.some(({ produces }) => produces.includes(artifact)))
  const owed = missing.length === 0 ? owedBy(plan, now, recorded) : plan.gate === 'visited' ? [] : late
  if (owed.length > 0 && effort !== undefined) {
    const after = missing.every((artifact) => owed.includes(artifact))
      ? `, then read ${path} again.`
      : `.${thenLine(plan, now, id)}`
    const owing = begun.filter(({ produces }) => produces.some((artifact) => owed.includes(artifact)))
    const steps = owing.map(({ id: one }) => one)
    const commands = doneCommands(effort.id, plan, now, { recorded, steps })
    return `Next: once that is done, run ${commands.join(' && ')}${after}`
  }
  const open = nextSteps(plan, now, recorded).map((one) => stepOf(plan, one))
  const next = open.find((one) => one?.optional === false) ?? open[0]
  if (next === undefined) return 'Next: ask the user how to continue.'
  // Without missing artifacts, outcomes decide which steps follow.
  const then = missing.length === 0 ? '' : thenLine(plan, now, id, next.id)
  return `Next: ${stepToDo(next.label, next.place.file)}.${then}`
}

/** The steps that are left up to a step, in plan order, without the next one. */
function thenLine(plan: Plan, { visits }: Progress, id: string, next?: string): string {
  const left = new Set([id])
  // The loop also visits what it adds.
  for (const one of left)
    for (const artifact of stepOf(plan, one)?.consumes ?? []) {
      const producers = plan.steps.filter(({ produces }) => produces.includes(artifact))
      const isThere = producers.some((step) => step.optional || Object.hasOwn(visits, step.id))
      if (!isThere && producers[0] !== undefined) left.add(producers[0].id)
    }
  const names = plan.steps.filter((step) => left.has(step.id) && step.id !== next)
  return ` Then: ${listed(
    names.map(({ label }) => quoted(label)),
    ROOM_FOR_STEPS,
  )}.`
}

const ROOM = 2000
const ROOM_FOR_STEPS = 600
const LONGEST_WHY = 500

const producersOf = (plan: Plan, artifact: string): readonly string[] =>
  plan.steps.filter(({ produces }) => produces.includes(artifact)).map(({ label }) => label)
