import { usualOutcome, valuesFor } from '../src/harness/values.ts'
import type { Plan, Step } from '../src/model/plan/plan.ts'
import type { Values } from '../src/model/plan/plan-for.ts'

/** An outcome that a person takes in the first visits of a step, or in all of them. */
interface Wanted {
  /** Its workflow and its label. */
  readonly step: string
  readonly outcome: string
  readonly times: number
}

/** What a person does differently from one whose work is always good. */
export interface Wish {
  readonly wanted: readonly Wanted[]
  /** The choices of the user each time that a gate has no rounds left; after them, to skip the check. */
  readonly choices: readonly number[]
  /** Params that include a step. */
  readonly params?: Values
  /** The sub-agents of a step begin together; the last one ends first, and the first one like this. */
  readonly first?: 'ends last' | 'fails' | 'never returns'
}

const [GO_ON, STOP] = [0, 2]
/** What a person chooses at a gate without rounds. */
export const SKIP = 1

/** Every way out of every step that a person can take, and every way in which a limit can end. */
export function pathsOf(plan: Plan, name: string): readonly string[] {
  const own = plan.steps.flatMap((step) =>
    [...outcomesOf(plan, step), ...endsOf(plan, step)].map((one) => `${name} ${step.label} ${one}`),
  )
  const children = Object.entries(plan.workflows ?? {})
  return [...own, ...children.flatMap(([word, one]) => pathsOf(one, `${name}/${word}`))]
}

/** The outcomes of a step, the usual one first; an outcome that needs a blank value cannot be taken. */
function outcomesOf(plan: Plan, step: Step): readonly string[] {
  const { decides, next = {}, dispatch } = step
  if (decides === undefined)
    return [...new Set([...Object.keys(next), ...(dispatch === undefined ? [] : ['fail'])])]
  const decided = new Set([usualOutcome(step), ...decides.map(({ outcome }) => outcome)])
  return [...decided].filter((outcome) => valuesFor(plan, step, outcome) !== undefined)
}

/** How the limit of a step ends: elsewhere, or with each choice of the user. */
function endsOf({ steps }: Plan, { id, limit, onLimit, gate, dispatch }: Step): readonly string[] {
  if (gate !== undefined)
    return ['Continue iterating', 'Skip this check', 'Abort'].map((choice) => `parked: ${choice}`)
  const isWork = steps.some((one) => one.gate?.work === id)
  if (limit === undefined || (isWork && dispatch === undefined)) return []
  return [onLimit === undefined ? 'parked: approved' : `on to ${onLimit}`]
}

/** Few ways that take all paths: good work, everything wrong once, everything wrong until a limit, and each stop. */
export function wishesFor(plan: Plan, name: string): readonly Wish[] {
  const unusual = plan.steps.flatMap((step) =>
    outcomesOf(plan, step)
      .slice(1)
      .map((outcome) => ({ step: `${name} ${step.label}`, outcome, times: 1, from: step })),
  )
  // A gate fails for ever; any other step goes well once the user has let it go on behind its limit.
  const lasting = unusual
    .filter(({ from: { gate, limit } }) => gate !== undefined || limit !== undefined)
    .map((one) => ({ ...one, times: one.from.gate === undefined ? (one.from.limit ?? 0) : Infinity }))
  const gates = lasting.filter(({ from }) => from.gate !== undefined)
  return [
    { wanted: [], choices: [] },
    ...(unusual.length === 0 ? [] : [{ wanted: unusual, choices: [] }]),
    ...(lasting.length === 0 ? [] : [{ wanted: lasting, choices: gates.flatMap(() => [GO_ON, SKIP]) }]),
    ...gates.map((one) => ({ wanted: [one], choices: [STOP] })),
  ]
}

/** The same ways, each by way of a path that none of them takes. */
export function wishesBy(path: string, plan: Plan, name: string): readonly Wish[] {
  const [workflow = '', label, ...outcome] = path.split(' ')
  const child = workflow.slice(name.length + 1)
  const step = plan.steps.find((one) =>
    child === '' ? one.label === label : one.dispatch?.workflow === child,
  )
  if (step === undefined) return []
  const last: Edge = child === '' ? { from: step, outcome: outcome.join(' ') } : { from: step, outcome: '' }
  const way = [...wayTo(plan, step), ...(isLimit(last) ? loopOf(plan, step) : [last])]
  const wanted = way
    .filter(({ from, outcome: one }) => one !== usualOutcome(from) && one !== '')
    .map(({ from, outcome: one, times = 1 }) => ({ step: `${name} ${from.label}`, outcome: one, times }))
  const params = Object.fromEntries(
    Object.entries(step.when ?? {}).map(([field, value]) => [field, [value].flat().map(String)[0] ?? '']),
  )
  return wishesFor(plan, name).map((wish) => ({ ...wish, params, wanted: [...wanted, ...wish.wanted] }))
}

interface Edge {
  readonly from: Step
  readonly outcome: string
  readonly times?: number
}

const isLimit = ({ outcome }: Edge): boolean => outcome.startsWith('on to ')

interface Way {
  readonly at: Step
  readonly way: readonly Edge[]
}

/** The outcomes on the shortest way from the beginning to a step, also beyond limits. */
function wayTo(plan: Plan, to: Step): readonly Edge[] {
  const first = plan.steps.filter(({ id }) => plan.entry.includes(id))
  return shortest(
    first.map((at) => ({ at, way: [] })),
    to,
    (one) => [...following(plan, one), ...beyond(plan, one)],
  )
}

/** The outcomes that lead from a step back to it, for ever. */
const loopOf = (plan: Plan, step: Step): readonly Edge[] =>
  shortest(following(plan, { at: step, way: [] }), step, (one) => following(plan, one)).map((edge) => ({
    ...edge,
    times: Infinity,
  }))

function shortest(from: readonly Way[], to: Step, more: (one: Way) => readonly Way[]): readonly Edge[] {
  const ways = [...from]
  const seen = new Set<Step>()
  for (const one of ways) {
    if (one.at === to) return one.way
    if (!seen.has(one.at)) ways.push(...more(one))
    seen.add(one.at)
  }
  return []
}

const following = ({ steps }: Plan, { at, way }: Way): readonly Way[] =>
  Object.entries(at.next ?? {}).flatMap(([outcome, targets]) =>
    steps
      .filter(({ id }) => targets.includes(id))
      .map((next) => ({ at: next, way: [...way, { from: at, outcome }] })),
  )

const beyond = (plan: Plan, { at, way }: Way): readonly Way[] =>
  plan.steps
    .filter(({ id }) => at.limit !== undefined && id === at.onLimit)
    .map((next) => ({ at: next, way: [...way, ...loopOf(plan, at)] }))
