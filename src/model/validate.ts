import { type Diagnostic, diagnose } from './diagnostic.ts'
import { type Plan, ROOT_ARTIFACTS, type Step, stepsById, targetsOf } from './plan.ts'

/** A plan with what its checks look up, so that each stays linear in the size of the plan. */
interface Graph {
  readonly plan: Plan
  readonly steps: ReadonlyMap<string, Step>
  readonly producers: ReadonlyMap<string, readonly Step[]>
}

/** Everything that is wrong with a plan as a graph, each with the path of the problem. */
export function validatePlan(plan: Plan): readonly Diagnostic[] {
  const doubles = duplicateIds(plan)
  // With two steps of one id no other finding could be trusted.
  if (doubles.length > 0) return doubles
  const produced = plan.steps.flatMap((step) => step.produces.map((artifact) => ({ artifact, step })))
  const producers = new Map(
    [...Map.groupBy(produced, ({ artifact }) => artifact)].map(([artifact, rows]) => [
      artifact,
      rows.map(({ step }) => step),
    ]),
  )
  const graph = { plan, steps: stepsById(plan), producers }
  return CHECKS.flatMap((check) => check(graph))
}

const CHECKS: readonly ((graph: Graph) => readonly Diagnostic[])[] = [
  unknownEntries,
  unknownTargets,
  deadEnds,
  unreachable,
  neverEnding,
  endlessLoops,
  artifactFaults,
  waitingCircles,
]

function duplicateIds({ steps }: Plan): readonly Diagnostic[] {
  const firsts = new Map<string, Step>()
  return steps.flatMap((step) => {
    const first = firsts.get(step.id)
    firsts.set(step.id, first ?? step)
    if (first === undefined) return []
    return [
      diagnose(
        'HF301',
        step.place,
        `Step ${step.id} is already defined at ${first.place.file}:${first.place.line}.`,
      ),
    ]
  })
}

function unknownEntries({ plan, steps }: Graph): readonly Diagnostic[] {
  const [first] = plan.steps
  if (first === undefined) return []
  return plan.entry
    .filter((id) => !steps.has(id))
    .map((id) => diagnose('HF302', first.place, `The plan begins with ${id}, which does not exist.`))
}

function unknownTargets({ plan, steps }: Graph): readonly Diagnostic[] {
  return plan.steps.flatMap((step) =>
    targetsOf(step)
      .filter((target) => !steps.has(target))
      .map((target) =>
        diagnose('HF302', step.place, `Step ${step.id} leads to ${target}, which does not exist.`),
      ),
  )
}

function deadEnds({ plan }: Graph): readonly Diagnostic[] {
  return plan.steps
    .filter((step) => step.next !== undefined && Object.keys(step.next).length === 0)
    .map((step) =>
      diagnose('HF303', step.place, `Step ${step.id} has no outcome that leads on or ends the plan.`),
    )
}

function unreachable({ plan, steps }: Graph): readonly Diagnostic[] {
  const seen = new Set<string>()
  const waiting = [...plan.entry, ...plan.steps.filter(isLedByArtifacts).map(({ id }) => id)]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const step = steps.get(id)
    if (step === undefined || seen.has(id)) continue
    seen.add(id)
    waiting.push(...targetsOf(step))
  }
  const from = plan.entry.join(' or ')
  return plan.steps
    .filter((step) => !seen.has(step.id))
    .map((step) => diagnose('HF304', step.place, `Step ${step.id} cannot be reached from ${from}.`))
}

const isLedByArtifacts = (step: Step): boolean => step.next === undefined

function neverEnding({ plan }: Graph): readonly Diagnostic[] {
  const [first] = plan.steps
  const ends = plan.steps.some(
    (step) =>
      isLedByArtifacts(step) || Object.values(step.next ?? {}).some((targets) => targets.length === 0),
  )
  if (first === undefined || ends) return []
  return [
    diagnose('HF305', first.place, `No outcome of any of the ${plan.steps.length} steps ends the plan.`),
  ]
}

function endlessLoops({ plan, steps }: Graph): readonly Diagnostic[] {
  const isFree = (id: string) => steps.get(id)?.limit === undefined
  const free = plan.steps.filter(({ id }) => isFree(id))
  const edges = new Map(free.map((step) => [step.id, targetsOf(step).filter(isFree)]))
  return circles(edges).map((path) =>
    diagnose('HF306', placeOf(steps, path), `${showPath(path)} has no limit.`),
  )
}

function artifactFaults({ plan, producers }: Graph): readonly Diagnostic[] {
  return plan.steps.flatMap((step) => {
    const fault = (code: 'HF307' | 'HF308' | 'HF309', text: string) =>
      diagnose(code, step.place, `Step ${step.id} ${text}.`)
    const own = step.consumes.filter((artifact) => step.produces.includes(artifact))
    const missing = step.consumes.filter(
      (artifact) => !ROOT_ARTIFACTS.includes(artifact) && !producers.has(artifact),
    )
    const second = step.produces.filter((artifact) => producers.get(artifact)?.[0] !== step)
    return [
      ...missing.map((artifact) => fault('HF307', `consumes ${artifact}, which no step produces`)),
      ...second.map((artifact) =>
        fault(
          'HF308',
          `produces ${artifact}, which ${producers.get(artifact)?.[0]?.id ?? ''} produces already`,
        ),
      ),
      ...own.map((artifact) => fault('HF309', `consumes ${artifact}, which it produces itself`)),
    ]
  })
}

function waitingCircles({ plan, steps, producers }: Graph): readonly Diagnostic[] {
  const waitsFor = (step: Step) =>
    step.consumes
      .flatMap((artifact) => producers.get(artifact) ?? [])
      .filter((producer) => producer !== step && !producer.optional)
      .map(({ id }) => id)
  const edges = new Map(plan.steps.map((step) => [step.id, waitsFor(step)]))
  return circles(edges).map((path) =>
    diagnose('HF313', placeOf(steps, path), `Each of ${showPath(path)} waits for the next.`),
  )
}

const placeOf = (steps: ReadonlyMap<string, Step>, [first = '']: readonly string[]) =>
  steps.get(first)?.place ?? { file: '', line: 1, column: 1 }

const showPath = (path: readonly string[]): string => [...path, path[0]].join(' → ')

/** One path for each way that leads back to where it was; linear in the size of the graph. */
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
        found.push(path.slice(path.findIndex(({ id }) => id === target)).map(({ id }) => id))
      } else if (!done.has(target) && edges.has(target)) {
        path.push({ id: target, next: 0 })
        onPath.add(target)
      }
    }
  }
  return found
}
