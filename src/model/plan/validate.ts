import { type Diagnostic, diagnose } from '../diagnostic.ts'
import { nearest } from '../text/nearest.ts'
import { inputsMissing } from './advance.ts'
import { isBrought, type Plan, type Step, stepsById, targetsOf } from './plan.ts'

/** A plan with lookup tables, so that each check stays linear. */
interface Graph {
  readonly plan: Plan
  readonly steps: ReadonlyMap<string, Step>
  readonly producers: ReadonlyMap<string, readonly Step[]>
}

/** All problems of a plan as a graph, each with its path. */
export function validatePlan(plan: Plan): readonly Diagnostic[] {
  const doubles = duplicateIds(plan)
  // With duplicate ids, no other finding is reliable.
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

function deadEnds(graph: Graph): readonly Diagnostic[] {
  const ends = graph.plan.steps.filter(
    (step) => step.next !== undefined && Object.keys(step.next).length === 0,
  )
  if (ends.length === 0) return []
  const from = cameFrom(graph)
  return ends.map((step) =>
    diagnose(
      'HF303',
      step.place,
      `Step ${step.id} has no outcome with a next step or an end: ${wayTo(step.id, from)} → ?.`,
    ),
  )
}

/** The step from which each step is first reached; '' for entries. */
function cameFrom({ plan, steps }: Graph): ReadonlyMap<string, string> {
  const from = new Map<string, string>()
  const begins = [...plan.entry, ...plan.steps.filter(isLedByArtifacts).map(({ id }) => id)]
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

function unreachable(graph: Graph): readonly Diagnostic[] {
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
    return diagnose(
      'HF304',
      step.place,
      `Step ${step.id} cannot be reached from ${plan.entry.join(' or ')}: ${why}.`,
    )
  })
}

const isLedByArtifacts = (step: Step): boolean => step.next === undefined

function neverEnding({ plan, steps }: Graph): readonly Diagnostic[] {
  const [first] = plan.steps
  const ends = plan.steps.some(
    (step) =>
      isLedByArtifacts(step) || Object.values(step.next ?? {}).some((targets) => targets.length === 0),
  )
  if (first === undefined || ends) return []
  const edges = new Map(plan.steps.map((step) => [step.id, targetsOf(step).filter((id) => steps.has(id))]))
  const [circle] = circles(edges)
  const round = circle === undefined ? '' : `: ${showPath(circle)}`
  return [
    diagnose(
      'HF305',
      first.place,
      `No outcome of any of the ${plan.steps.length} steps ends the plan${round}.`,
    ),
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

/** Limits for guesses, because each compares letter by letter. */
const [MOST_GUESSED, MOST_COMPARED] = [5, 200]

function artifactFaults({ plan, producers }: Graph): readonly Diagnostic[] {
  const names = [...producers.keys()].slice(0, MOST_COMPARED)
  return plan.steps.flatMap((step) => {
    const fault = (code: 'HF307' | 'HF308' | 'HF309', text: string) =>
      diagnose(code, step.place, `Step ${step.id} ${text}${text.endsWith('?') ? '' : '.'}`)
    const made = new Set(step.produces)
    const own = step.consumes.filter((artifact) => made.has(artifact))
    const missing = step.consumes.filter((artifact) => !isBrought(plan, artifact) && !producers.has(artifact))
    const second = step.produces.filter((artifact) => producers.get(artifact)?.[0] !== step)
    return [
      ...missing.map((artifact, index) => {
        const meant = index < MOST_GUESSED ? nearest(artifact, names) : []
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

function waitingCircles({ plan, steps, producers }: Graph): readonly Diagnostic[] {
  const waitsFor = (step: Step) =>
    inputsMissing(plan, step, () => false)
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
