import { circleOf, circles, showPath } from './circles.ts'
import { isByArtifacts, ledSteps } from './mixed.ts'
import { type Plan, type Step, targetsOf } from './plan.ts'
import type { Problem } from './problem.ts'

/** A plan with lookup tables, so that each check stays linear. */
export interface Graph {
  readonly plan: Plan
  readonly steps: ReadonlyMap<string, Step>
  readonly producers: ReadonlyMap<string, readonly Step[]>
}

/** Entries that are no steps. */
export function unknownEntries({ plan, steps }: Graph): readonly Problem[] {
  const [first] = plan.steps
  if (first === undefined) return []
  return plan.entry
    .filter((id) => !steps.has(id))
    .map((id) => ({
      code: 'HF302',
      place: first.place,
      message: `The plan begins with ${id}, which does not exist.`,
      steps: plan.steps,
    }))
}

/** Outcomes that lead to no step. */
export function unknownTargets({ plan, steps }: Graph): readonly Problem[] {
  return plan.steps.flatMap((step) =>
    targetsOf(step)
      .filter((target) => !steps.has(target))
      .map((target) => ({
        code: 'HF302',
        place: step.place,
        message: `Step ${step.id} leads to ${target}, which does not exist.`,
        // Without the way, nothing behind it can be judged.
        steps: plan.steps,
      })),
  )
}

/** Steps that end without a way on. */
export function deadEnds(graph: Graph): readonly Problem[] {
  const ends = graph.plan.steps.filter(
    (step) => step.next !== undefined && Object.keys(step.next).length === 0,
  )
  if (ends.length === 0) return []
  const from = cameFrom(graph)
  return ends.map((step) => ({
    code: 'HF303',
    place: step.place,
    message: `Step ${step.id} has no outcome with a next step or an end: ${wayTo(step.id, from)} → ?.`,
    steps: graph.plan.steps,
  }))
}

/** The step from which each step is first reached; '' for entries. */
function cameFrom({ plan, steps }: Graph): ReadonlyMap<string, string> {
  const from = new Map<string, string>()
  const led = ledSteps(plan)
  const begins = [
    ...plan.entry,
    ...plan.steps.map(({ id }) => id).filter((id) => isRoot(plan, steps.get(id)) && !led.has(id)),
  ]
  const waiting = begins.map((to) => ({ to, by: '' }))
  for (let way = waiting.pop(); way !== undefined; way = waiting.pop()) {
    const step = steps.get(way.to)
    if (step === undefined || from.has(way.to)) continue
    from.set(way.to, way.by)
    for (const to of targetsOf(step)) waiting.push({ to, by: step.id })
  }
  return from
}

/** The path to a step, shortened if long. */
function wayTo(id: string, from: ReadonlyMap<string, string>): string {
  const path = [id]
  for (let by = from.get(id) ?? ''; by !== '' && path.length < LONGEST_WAY; by = from.get(by) ?? '')
    path.unshift(by)
  return `${path.length < LONGEST_WAY ? '' : '… → '}${path.join(' → ')}`
}

const LONGEST_WAY = 12

/** Steps that nothing leads to. */
export function unreachable(graph: Graph): readonly Problem[] {
  const { plan } = graph
  const from = cameFrom(graph)
  const lost = plan.steps.filter((step) => !from.has(step.id))
  if (lost.length === 0) return []
  const leading = new Map<string, string>()
  for (const step of lost)
    for (const target of targetsOf(step)) if (!leading.has(target)) leading.set(target, step.id)
  return lost.map((step) => {
    const by = leading.get(step.id)
    const why =
      by === undefined ? `? → ${step.id}` : by === step.id ? `${by} → ${by}` : `? → ${by} → ${step.id}`
    return {
      code: 'HF304',
      place: step.place,
      message: `Step ${step.id} cannot be reached from ${plan.entry.join(' or ')}: ${why}.`,
      steps: [step],
    }
  })
}

/** Artifacts open a step, and end the plan after it, unless its outcomes do. */
const isRoot = (plan: Plan, step: Step | undefined): boolean =>
  isByArtifacts(plan) || step?.next === undefined

/** A plan that no outcome ends. */
export function neverEnding({ plan, steps }: Graph): readonly Problem[] {
  const [first] = plan.steps
  const ends = plan.steps.some(
    (step) => isRoot(plan, step) || Object.values(step.next ?? {}).some((targets) => targets.length === 0),
  )
  if (first === undefined || ends) return []
  const edges = new Map(plan.steps.map((step) => [step.id, targetsOf(step).filter((id) => steps.has(id))]))
  const [circle] = circles(edges)
  const round = circle === undefined ? '' : `: ${showPath(circle)}`
  const message = `No outcome of any of the ${plan.steps.length} steps ends the plan${round}.`
  return [{ code: 'HF305', place: first.place, message, steps: plan.steps }]
}

/** Loops of outcomes in which no step has a limit. */
export function endlessLoops({ plan, steps, producers }: Graph): readonly Problem[] {
  const isFree = (id: string) => steps.get(id)?.limit === undefined
  const free = plan.steps.filter(({ id }) => isFree(id))
  const outcomes = new Map(free.map((step) => [step.id, targetsOf(step).filter(isFree)]))
  if ([...outcomes.values()].every((targets) => targets.length === 0)) return []
  // Artifacts also lead on, but a circle of nothing else waits forever (HF313).
  const edges = new Map([...outcomes].map(([id, targets]) => [id, [...targets]]))
  if (isByArtifacts(plan))
    for (const { id, consumes } of free)
      for (const producer of consumes.flatMap((artifact) => producers.get(artifact) ?? []))
        edges.get(producer.id)?.push(id)
  const isLoop = (path: readonly string[]) =>
    path.some((id, at) => outcomes.get(id)?.includes(path[(at + 1) % path.length] ?? '') === true)
  return circles(edges)
    .filter(isLoop)
    .map((path) => circleOf(steps, path, { code: 'HF306', message: `${showPath(path)} has no limit.` }))
}
