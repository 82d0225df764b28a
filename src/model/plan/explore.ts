import { advance, begin, type Progress } from './advance.ts'
import { isByArtifacts, ledSteps } from './mixed.ts'
import { stuckAt } from './moves.ts'
import { ANY_OUTCOME, type Plan, type Step, stepOf } from './plan.ts'

/** One step on a way through a plan, with its outcome. */
export interface Taken {
  readonly step: string
  readonly outcome: string
}

/** What is wrong with a plan, and the way to it. */
export interface Trap {
  /** `endless`: no end can be reached; `parked`: it waits, and nothing can be approved; `outcome`: one leads nowhere. */
  readonly kind: 'endless' | 'parked' | 'outcome'
  readonly why: string
  readonly way: readonly Taken[]
}

export interface Explored {
  /** The shortest way to each pair of a step and an outcome that can happen, the last of it included. */
  readonly ways: readonly (readonly Taken[])[]
  /** How often a way came to an end of the plan. */
  readonly ends: number
  /** How many moves were tried. */
  readonly moves: number
  /** False if there were too many states to look at all of them. */
  readonly isWhole: boolean
  readonly traps: readonly Trap[]
}

/** Two rounds of a loop show what fifty do. */
const ROUNDS = 2
const MOST_STATES = 4000
const MOST_TRAPS = 10

interface State {
  readonly progress: Progress
  /** The state before it, and what led here. */
  readonly from: { readonly state: State; readonly taken: Taken } | undefined
  readonly before: State[]
}

interface Found {
  readonly plan: Plan
  readonly states: Map<string, State>
  readonly waiting: State[]
  readonly ways: Map<string, readonly Taken[]>
  readonly traps: Trap[]
}

/** Tries every outcome of every step that can come next, with the runner itself, until nothing new is found. */
export function explore(written: Plan): Explored {
  const plan = { ...written, steps: written.steps.map(inFewRounds) }
  const found: Found = { plan, states: new Map(), waiting: [], ways: new Map(), traps: [] }
  see(found, begin(plan), undefined)
  let [moves, ends] = [0, 0]
  // The loop also visits what it adds.
  for (const state of found.waiting) {
    if (state.progress.status === 'completed') ends++
    if (found.states.size > MOST_STATES) break
    moves += expand(found, state)
  }
  const isWhole = found.states.size <= MOST_STATES
  return {
    ways: [...found.ways.values()],
    ends,
    moves,
    isWhole,
    // States that nobody looked behind might lead to an end.
    traps: [...found.traps, ...(isWhole ? trapsIn(found) : [])].slice(0, MOST_TRAPS),
  }
}

const inFewRounds = (step: Step): Step =>
  step.limit === undefined ? step : { ...step, limit: Math.min(step.limit, ROUNDS) }

function see({ plan, states, waiting }: Found, progress: Progress, from: State['from']): void {
  const key = keyOf(plan, progress)
  const known = states.get(key)
  const state = known ?? { progress, from, before: [] }
  if (from !== undefined) state.before.push(from.state)
  if (known !== undefined) return
  states.set(key, state)
  waiting.push(state)
}

/** Progress that cannot differ in what follows has the same key. */
function keyOf(plan: Plan, { status, open, visits }: Progress): string {
  const told = plan.steps.flatMap(({ id, limit = 1 }) => {
    const visit = visits[id]
    if (visit === undefined) return []
    return [[id, Math.min(visit.attempts, limit), visit.outcome, visit.waived]]
  })
  return JSON.stringify([status, open, told])
}

/** Does each step that may come next, with each of its outcomes; returns how many moves that were. */
function expand(found: Found, state: State): number {
  const { plan } = found
  const { progress } = state
  const steps = nextOf(plan, progress)
  let moves = 0
  for (const step of steps)
    for (const outcome of outcomesOf(step)) {
      moves++
      const taken = { step: step.id, outcome }
      const done = doStep(plan, progress, step, outcome)
      if (typeof done === 'string') {
        if (step.decides !== undefined)
          found.traps.push({ kind: 'outcome', why: done, way: wayTo(state, taken) })
        continue
      }
      const pair = JSON.stringify(taken)
      if (!found.ways.has(pair)) found.ways.set(pair, wayTo(state, taken))
      see(found, done, { state, taken })
    }
  return moves
}

/** The steps to try next. A parked plan goes on where the user can approve it. */
function nextOf(plan: Plan, progress: Progress): readonly Step[] {
  if (progress.status === 'parked') return stuckAt(plan, progress)
  const open = progress.open.flatMap((id) => stepOf(plan, id) ?? [])
  if (!isByArtifacts(plan)) return open
  // Artifacts open steps in any order, so one order shows all that can follow.
  const led = ledSteps(plan)
  const free = open.find(({ id }) => !led.has(id))
  return free === undefined ? open : [free]
}

/** An outcome that no step names. */
const UNNAMED = 'other'

function outcomesOf({ decides, next = {}, optional }: Step): readonly string[] {
  if (decides !== undefined) return [...new Set(decides.map(({ outcome }) => outcome))]
  const named = Object.keys(next).map((outcome) => (outcome === ANY_OUTCOME ? UNNAMED : outcome))
  return [...new Set(['ok', ...named, ...(optional ? ['skip'] : []), 'fail'])]
}

/** The progress after a step was done from its start to its end, or why that is refused. */
function doStep(plan: Plan, progress: Progress, step: Step, outcome: string): Progress | string {
  const approved = progress.status === 'parked'
  const entered = advance(plan, progress, { kind: 'enter', step: step.id, approved })
  if (!entered.ok) return entered.why
  let now = entered.progress
  const reports = outcome === 'fail' ? 0 : (step.dispatch?.join ?? 0)
  for (let count = 0; count < reports; count++) {
    const told = advance(plan, now, { kind: 'report', step: step.id, outcome: 'ok', stays: true })
    if (!told.ok) return told.why
    now = told.progress
  }
  const left = advance(plan, now, { kind: 'leave', step: step.id, outcome })
  return left.ok ? left.progress : left.why
}

function wayTo(state: State, last?: Taken): readonly Taken[] {
  const way = last === undefined ? [] : [last]
  for (let { from } = state; from !== undefined; { from } = from.state) way.unshift(from.taken)
  return way
}

/** The states from which no end can be reached, each where the way to the end is lost. */
function trapsIn({ plan, waiting }: Found): readonly Trap[] {
  const good = new Set(waiting.filter(({ progress }) => progress.status === 'completed'))
  // The loop also visits what it adds.
  for (const state of good) for (const before of state.before) good.add(before)
  const lost = waiting.filter((state) => !good.has(state))
  const dead = lost.filter(({ progress }) => progress.status === 'parked' && !isApprovable(plan, progress))
  const parked = dead.map((state): Trap => ({
    kind: 'parked',
    why: state.progress.reason ?? 'Nothing can start.',
    way: wayTo(state),
  }))
  const first = lost.find(({ from }) => from === undefined || good.has(from.state))
  if (parked.length > 0 || first === undefined) return parked
  const around = [...new Set(lost.flatMap(({ progress }) => progress.open))].flatMap(
    (id) => stepOf(plan, id)?.label ?? [],
  )
  return [
    {
      kind: 'endless',
      why: `From there, no outcome leads to an end: ${around.join(', ')}.`,
      way: wayTo(first),
    },
  ]
}

const isApprovable = (plan: Plan, progress: Progress): boolean =>
  stuckAt(plan, progress).some((step) =>
    outcomesOf(step).some((outcome) => typeof doStep(plan, progress, step, outcome) !== 'string'),
  )
