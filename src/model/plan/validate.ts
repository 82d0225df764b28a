import { type Diagnostic, type DiagnosticCode, diagnose } from '../diagnostic.ts'
import { nearest } from '../text/nearest.ts'
import { inputsMissing } from './inputs.ts'
import { dependents, isByArtifacts, ledSteps } from './mixed.ts'
import type { Problem } from './problem.ts'
import { isBrought, type Plan, producersIn, type Step, stepsById, targetsOf } from './plan.ts'
import { workflowProblems } from '../workflow/check.ts'
import { strayNames } from '../workflow/stray-names.ts'

/** A plan with lookup tables, so that each check stays linear. */
interface Graph {
  readonly plan: Plan
  readonly steps: ReadonlyMap<string, Step>
  readonly producers: ReadonlyMap<string, readonly Step[]>
}

/** All problems of a plan as a graph, each with its path. */
export const validatePlan = (plan: Plan): readonly Diagnostic[] =>
  problemsIn(plan).map(({ code, place, message }) => diagnose(code, place, message))

/** The problems of a plan, and the plan with its faulty steps and those that need their products. */
export function checkPlan(plan: Plan): { readonly plan: Plan; readonly diagnostics: readonly Diagnostic[] } {
  const found = problemsIn(plan).map(({ steps, code, place, message }) => ({
    steps: steps.map(({ id }) => id),
    diagnostic: diagnose(code, place, message),
  }))
  const own = found.filter(({ diagnostic }) => diagnostic.severity === 'error').flatMap(({ steps }) => steps)
  const faulty = new Set([...(plan.faulty ?? []), ...own])
  const all = [...new Set([...faulty, ...dependents(plan, [...faulty])])]
  const inner = Object.entries(plan.workflows ?? {}).map(([name, one]) => [name, checkPlan(one)] as const)
  const workflows = Object.fromEntries(inner.map(([name, one]) => [name, one.plan]))
  const sound = inner.length === 0 ? plan : { ...plan, workflows }
  return {
    plan: all.length === 0 ? sound : { ...sound, faulty: all },
    diagnostics: [
      ...found.map(({ diagnostic }) => diagnostic),
      ...inner.flatMap(([name, one]) =>
        one.diagnostics.map((of) => ({ ...of, message: `Workflow ${name}: ${of.message}` })),
      ),
    ],
  }
}

/** Errors that concern single steps, which `faulty` names; any other error concerns the whole plan. */
const OF_STEPS: ReadonlySet<DiagnosticCode> = new Set([
  'HF302',
  'HF306',
  'HF307',
  'HF308',
  'HF309',
  'HF313',
  'HF316',
  'HF318',
  'HF321',
])

/** Errors beside the plan, which stays in force. */
const BESIDE: ReadonlySet<DiagnosticCode> = new Set(['HF127'])

/** True if a plan can refuse: it is explicit, and a part of it has no errors. */
export const isEnforceable = (plan: Plan, diagnostics: readonly Diagnostic[]): boolean =>
  plan.explicit &&
  diagnostics.every(
    (one) =>
      one.severity !== 'error' || OF_STEPS.has(one.code) || BESIDE.has(one.code) || isOfText(one, plan),
  ) &&
  (plan.faulty === undefined || plan.faulty.length < plan.steps.length)

/** A plan in YAML does not depend on the texts for agents, so a fault there leaves it in force. */
const isOfText = ({ file }: Diagnostic, { steps }: Plan): boolean =>
  file.endsWith('.md') && steps.every(({ place }) => /\.ya?ml$/.test(place.file))

function problemsIn(plan: Plan): readonly Problem[] {
  const doubles = duplicateIds(plan)
  // With duplicate ids, no other problem is reliable.
  if (doubles.length > 0) return doubles
  const graph = { plan, steps: stepsById(plan), producers: producersIn(plan) }
  return CHECKS.flatMap((check) => check(graph))
}

const CHECKS: readonly ((graph: Graph) => readonly Problem[])[] = [
  unknownEntries,
  unknownTargets,
  deadEnds,
  unreachable,
  neverEnding,
  endlessLoops,
  artifactFaults,
  waitingCircles,
  ({ plan }) => strayNames(plan),
  ({ plan, steps }) => workflowProblems(plan, steps),
]

function duplicateIds({ steps }: Plan): readonly Problem[] {
  const firsts = new Map<string, Step>()
  return steps.flatMap((step) => {
    const first = firsts.get(step.id)
    firsts.set(step.id, first ?? step)
    if (first === undefined) return []
    const message = `Step ${step.id} is already defined at ${first.place.file}:${first.place.line}.`
    return [{ code: 'HF301', place: step.place, message, steps }]
  })
}

function unknownEntries({ plan, steps }: Graph): readonly Problem[] {
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

function unknownTargets({ plan, steps }: Graph): readonly Problem[] {
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

function deadEnds(graph: Graph): readonly Problem[] {
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

function unreachable(graph: Graph): readonly Problem[] {
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

function neverEnding({ plan, steps }: Graph): readonly Problem[] {
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

function endlessLoops({ plan, steps, producers }: Graph): readonly Problem[] {
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

/** Limits for the guesses of a plan, because each compares letter by letter. */
const [MOST_GUESSED, MOST_COMPARED] = [20, 200]

function artifactFaults({ plan, producers }: Graph): readonly Problem[] {
  const names = [...producers.keys()].slice(0, MOST_COMPARED)
  let guessed = 0
  return plan.steps.flatMap((step) => {
    const fault = (code: 'HF307' | 'HF308' | 'HF309', text: string): Problem => ({
      code,
      place: step.place,
      message: `Step ${step.id} ${text}${text.endsWith('?') ? '' : '.'}`,
      steps: [step],
    })
    const made = new Set(step.produces)
    const own = step.consumes.filter((artifact) => made.has(artifact))
    const missing = step.consumes.filter((artifact) => !isBrought(plan, artifact) && !producers.has(artifact))
    const second = step.produces.filter((artifact) => producers.get(artifact)?.[0] !== step)
    return [
      ...missing.map((artifact) => {
        const meant = guessed++ < MOST_GUESSED ? nearest(artifact, names) : []
        const hint = meant.length === 0 ? '' : `; did you mean ${meant.join(' or ')}?`
        const path = `? → ${artifact} → ${step.id}`
        return fault('HF307', `consumes ${artifact}, which no step produces: ${path}${hint}`)
      }),
      ...second.map((artifact) => {
        const first = producers.get(artifact)?.[0]?.id ?? ''
        return fault(
          'HF308',
          `produces ${artifact}, which ${first} produces already: ${first} → ${artifact} ← ${step.id}`,
        )
      }),
      ...own.map((artifact) =>
        fault(
          'HF309',
          `consumes ${artifact}, which it produces itself: ${step.id} → ${artifact} → ${step.id}`,
        ),
      ),
    ]
  })
}

function waitingCircles({ plan, steps, producers }: Graph): readonly Problem[] {
  const waitsFor = (step: Step) =>
    inputsMissing(plan, step, () => false)
      .flatMap((artifact) => producers.get(artifact) ?? [])
      .filter((producer) => producer !== step && !producer.optional)
      .map(({ id }) => id)
  const edges = new Map(plan.steps.map((step) => [step.id, waitsFor(step)]))
  return circles(edges).map((path) =>
    circleOf(steps, path, { code: 'HF313', message: `Each of ${showPath(path)} waits for the next.` }),
  )
}

function circleOf(
  steps: ReadonlyMap<string, Step>,
  path: readonly string[],
  about: Pick<Problem, 'code' | 'message'>,
): Problem {
  const round = path.flatMap((id) => steps.get(id) ?? [])
  return { ...about, place: round[0]?.place ?? { file: '', line: 1, column: 1 }, steps: round }
}

const showPath = (path: readonly string[]): string => [...path, path[0]].join(' → ')

/** Enough to fix at once; each may be as long as the plan. */
const MOST_CIRCLES = 20

/** One path per cycle; linear in the size of the graph. */
function circles(edges: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const found: string[][] = []
  const done = new Set<string>()
  for (const start of edges.keys()) {
    if (done.has(start)) continue
    const path: { readonly id: string; next: number }[] = [{ id: start, next: 0 }]
    const onPath = new Set([start])
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const target = edges.get(top.id)?.[top.next++]
      if (target === undefined) {
        done.add(top.id)
        onPath.delete(top.id)
        path.pop()
      } else if (onPath.has(target)) {
        if (found.length < MOST_CIRCLES)
          found.push(path.slice(path.findIndex(({ id }) => id === target)).map(({ id }) => id))
      } else if (!done.has(target) && edges.has(target)) {
        path.push({ id: target, next: 0 })
        onPath.add(target)
      }
    }
  }
  return found
}
