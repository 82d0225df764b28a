import { begin, type Progress } from '../model/plan/advance.ts'
import { owedFor } from '../model/plan/moves.ts'
import { fillIn } from '../model/plan/action-words.ts'
import { provenIn } from '../model/plan/evidence.ts'
import { doneCommands, gives, toGive } from '../model/plan/next-action.ts'
import { listed, oneLine, quoted } from '../model/text/line.ts'
import { type Plan, type Step, stepOf } from '../model/plan/plan.ts'
import { leftOutAs } from '../model/plan/plan-for.ts'
import { isCarriedOut, isPartly, leaveRecorded, nextSteps, visit } from '../model/plan/visit.ts'
import { wayTo } from '../model/plan/way.ts'
import type { Facts, Given, HandedOver, SkillFacts, TouchedSkill } from './facts.ts'
import { rule } from './rule.ts'
import { nextAction } from './told/next-action.ts'
import { isAtWork } from './span-switch.ts'
import { isHandOver } from './subagent-steps.ts'
import { LEAVE_IT, needs, productOf, readInPart, stepToDo, thenLine, withSubagent } from './told/words.ts'

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

type GateFacts = Parameters<typeof isAtWork>[1] & Pick<Facts, 'delegations'> & Partial<Pick<Facts, 'given'>>

/** Why a step may not be read yet; undefined if it may. */
export function refusalOf(touched: TouchedSkill, facts: GateFacts): string | undefined {
  const { skill, step: id, path } = touched
  const { plan, progress, recorded } = skill
  if (plan === undefined || id === undefined || skill.approved.includes(id)) return undefined
  if (!isAtWork(touched, facts) || isGiven(touched, facts.given)) return undefined
  const now = progress ?? begin(plan)
  const entry = visit(plan, now, id, recorded)
  if (entry.ok) return undefined
  const left = leftOutAs(plan, id)
  const label = (left ?? stepOf(plan, id))?.label ?? id
  const why =
    left !== undefined
      ? `Step ${quoted(label)} is left out of this effort.`
      : entry.missing.length === 0
        ? oneLine(entry.why, LONGEST_WHY)
        : `${needs(label, inputsOf(plan, entry.missing, recorded))}.`
  if (facts.given !== undefined) return `${why} ${LEAVE_IT}`
  const waits = waitFor(skill, plan, { missing: entry.missing, delegations: facts.delegations ?? [] })
  if (waits !== undefined) return `${why} ${waits}`
  const way = wayTo(plan, now, id, recorded)
  const [first, ...then] = way ?? []
  if (first !== undefined && now.current.includes(first.id) && isPartly(now, first.id))
    return readOn(skill, first, [...then.map((step) => step.label), label])
  return `${why} ${wayOn(skill, plan, { now, missing: entry.missing, id, path: oneLine(path), way })}`
}

/** What a sub-agent was given is its own, and a skill that it carries out has its own gate. */
const isGiven = ({ skill, step }: TouchedSkill, given: Given | undefined): boolean =>
  given !== undefined &&
  (given.skills.includes(skill.name) ||
    given.steps.some((one) => one.skill === skill.name && one.step === step))

/** What to read on, and the steps that follow it up to the wanted one. */
function readOn({ seen }: SkillFacts, begun: Step, then: readonly string[]): string {
  const next = readInPart(begun.label, begun.place.file, seen?.[begun.id])
  return then.length < 2 ? next : `${next}${thenLine(then)}`
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
function inputsOf(plan: Plan, missing: readonly string[], { good, stale }: SkillFacts['recorded']): string {
  const products = missing.map((artifact) => {
    const state = stale.has(artifact)
      ? ' (its files changed after it was recorded)'
      : good.has(artifact)
        ? ' (it is recorded, but that step was not done)'
        : ''
    return `${productOf(artifact, producersOf(plan, artifact))}${state}`
  })
  return listed(products, ROOM)
}

/** A step that may not be read yet, and the way there. */
interface Wish {
  readonly now: Progress
  readonly missing: readonly string[]
  readonly id: string
  readonly path: string
  readonly way: readonly Step[] | undefined
}

/** The first action that is allowed now, and all that follow up to the step. */
function wayOn(
  { recorded, effort }: SkillFacts,
  plan: Plan,
  { now, missing, id, path, way: wayNow }: Wish,
): string {
  const owing = owingSteps(plan, now, { missing, recorded })
  const settled = owing.length === 0 ? undefined : allRecorded(plan, now, { owing, recorded })
  const way = settled === undefined ? wayNow : wayTo(plan, settled.now, id, settled.recorded)
  const label = stepOf(plan, id)?.label ?? id
  const then = thenLine([...(way ?? []).slice(owing.length === 0 ? 1 : 0).map((step) => step.label), label])
  if (owing.length > 0 && effort !== undefined) {
    const commands = doneCommands(effort.id, plan, now, { recorded, steps: owing.map((step) => step.id) })
    const after = way?.length === 0 ? `, then read ${path} again.` : `.${then}`
    return [`Next: once that is done, run ${commands.join(' && ')}${after}`, ...fillIn(commands)].join(' ')
  }
  const [given] = gives(plan, now)
  if (given !== undefined) return `Next: ${given}.`
  const [next] = way ?? []
  if (next !== undefined) return `Next: ${toDo(plan, next)}.${then}`
  // A plan with a fault may have no way there.
  const open = nextSteps(plan, now, recorded).flatMap((one) => stepOf(plan, one) ?? [])
  const other =
    open.find(({ optional }) => !optional) ?? (isCarriedOut(plan, now, recorded) ? undefined : open[0])
  if (other !== undefined) return `Next: ${toDo(plan, other)}.`
  if (effort === undefined) return 'Next: ask the user how to continue.'
  return nextAction({ effort, plan, progress: now, recorded })
}

const toDo = (plan: Plan, step: Step): string => toGive(plan, step) ?? stepToDo(step.label, step.place.file)

/** Started steps that owe what is missing; without anything missing, all that owe something. */
function owingSteps(
  plan: Plan,
  now: Progress,
  { missing, recorded }: { missing: readonly string[]; recorded: SkillFacts['recorded'] },
): readonly Step[] {
  const given = { recorded, proof: provenIn(recorded) }
  const owes = (step: Step) => {
    const { artifacts, proof } = owedFor(plan, now, step, given)
    return artifacts.length + proof.length > 0
  }
  const begun = plan.steps.filter((step) => Object.hasOwn(now.visits, step.id) && owes(step))
  const late = begun.filter(({ produces }) => produces.some((artifact) => missing.includes(artifact)))
  return late.length > 0 ? late : begun.filter(({ id }) => now.current.includes(id))
}

/** The state once these steps have shown what they owe. */
function allRecorded(
  plan: Plan,
  now: Progress,
  { owing, recorded }: { owing: readonly Step[]; recorded: SkillFacts['recorded'] },
) {
  const good = new Set([...recorded.good, ...owing.flatMap(({ produces, proof }) => [...produces, ...proof])])
  const known = { good, stale: recorded.stale }
  return { now: leaveRecorded(plan, now, known), recorded: known }
}

const ROOM = 2000
const LONGEST_WHY = 500

const producersOf = (plan: Plan, artifact: string): readonly string[] =>
  plan.steps.filter(({ produces }) => produces.includes(artifact)).map(({ label }) => label)
