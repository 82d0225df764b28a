import { begin, type Progress } from '../model/plan/advance.ts'
import { recordCommands } from '../model/plan/evidence.ts'
import { listed, oneLine, quoted } from '../model/text/line.ts'
import { type Plan, type Step, stepOf } from '../model/plan/plan.ts'
import { isPartly, nextSteps, owedBy, visit } from '../model/plan/visit.ts'
import type { Facts, HandedOver, SkillFacts, TouchedSkill } from './facts.ts'
import { rule } from './rule.ts'
import { isAtWork } from './span-switch.ts'
import { isHandOver } from './subagent-steps.ts'
import { needs, productOf, readInPart, stepToDo, withSubagent } from './told/words.ts'

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
  const begun = waits === undefined ? begunBefore(plan, now, id) : undefined
  if (begun !== undefined) return readOn(skill, plan, { now, id, begun })
  return `${why} ${waits ?? wayOn(skill, plan, { now, missing: entry.missing, id, path: oneLine(path) })}`
}

/** The step before this one that was read only in part. */
function begunBefore(plan: Plan, now: Progress, id: string): Step | undefined {
  const before = new Set(leftBefore(plan, now, id))
  return plan.steps.find(
    (step) =>
      isPartly(now, step.id) &&
      now.current.includes(step.id) &&
      // Without inputs, the end of a started step decides which steps follow.
      (step.next !== undefined || before.has(step.id)),
  )
}

function readOn(
  { seen }: SkillFacts,
  plan: Plan,
  { now, id, begun }: { readonly now: Progress; readonly id: string; readonly begun: Step },
): string {
  const then = leftBefore(plan, now, id).filter((one) => one !== begun.id)
  const next = readInPart(begun.label, begun.place.file, seen?.[begun.id])
  return then.length < 2 ? next : `${next}${thenLine(plan, now, id, begun.id)}`
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
    return `Next: once that is done, run ${recordCommands(effort.id, plan.demands, owed)}${after}`
  }
  const open = nextSteps(plan, now, recorded).map((one) => stepOf(plan, one))
  const next = open.find((one) => one?.optional === false) ?? open[0]
  if (next === undefined) return 'Next: ask the user how to continue.'
  // Without missing artifacts, outcomes decide which steps follow.
  const then = missing.length === 0 ? '' : thenLine(plan, now, id, next.id)
  return `Next: ${stepToDo(next.label, next.place.file)}.${then}`
}

/** The steps that are left up to a step; one that was read only in part is left too. */
function leftBefore(plan: Plan, now: Progress, id: string): readonly string[] {
  const left = new Set([id])
  const isRead = (step: Step) => Object.hasOwn(now.visits, step.id) && !isPartly(now, step.id)
  // The loop also visits what it adds.
  for (const one of left)
    for (const artifact of stepOf(plan, one)?.consumes ?? []) {
      const producers = plan.steps.filter(({ produces }) => produces.includes(artifact))
      const isThere = producers.some((step) => step.optional || isRead(step))
      const next = producers.find((step) => isPartly(now, step.id)) ?? producers[0]
      if (!isThere && next !== undefined) left.add(next.id)
    }
  return [...left]
}

/** The steps that are left up to a step, in plan order, without the next one. */
function thenLine(plan: Plan, now: Progress, id: string, next?: string): string {
  const left = new Set(leftBefore(plan, now, id))
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
