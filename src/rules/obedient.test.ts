import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { begin, type Progress } from '../model/plan/advance.ts'
import { NOTHING_RECORDED, type Recorded } from '../model/plan/evidence.ts'
import { end } from '../model/plan/moves.ts'
import { type Plan, type Step, stepOf } from '../model/plan/plan.ts'
import { inSequence } from '../model/plan/sequence.ts'
import { validatePlan } from '../model/plan/validate.ts'
import { isCarriedOut, visit } from '../model/plan/visit.ts'
import { planOf, step } from '../model/plan/case.contract.ts'
import { effort, event, facts, skill, span, touch } from './case.contract.ts'
import { stepGate } from './step-gate.ts'

interface State {
  readonly progress: Progress
  readonly recorded: Recorded
}

/** Random plans: steps that consume what earlier ones produce, or a sequence with loops. */
const plans = fc
  .array(
    fc.record({
      optional: fc.boolean(),
      inputs: fc.array(fc.nat({ max: 20 }), { maxLength: 3 }),
      products: fc.nat({ max: 2 }),
    }),
    { minLength: 2, maxLength: 8 },
  )
  .chain((shapes) =>
    fc.record({
      shapes: fc.constant(shapes),
      gate: fc.constantFrom('visited' as const, 'produced' as const),
      isOrdered: fc.boolean(),
    }),
  )
  .map(({ shapes, gate, isOrdered }): Plan => {
    const products: string[] = []
    const steps = shapes.map(({ optional, inputs, products: many }, at): Step => {
      const consumes = products.length === 0 ? [] : inputs.map((one) => products[one % products.length] ?? '')
      const produces = Array.from({ length: many }, (_, index) => `p${at}-${index}`)
      products.push(...produces)
      // The last step is required, so that a plan has something to do.
      const isLast = at === shapes.length - 1
      return step(`s${at}`, { optional: optional && !isLast, consumes: [...new Set(consumes)], produces })
    })
    const bare = steps.map((one) => ({
      ...one,
      consumes: [],
      produces: gate === 'visited' ? [] : one.produces,
    }))
    return isOrdered ? planOf(inSequence(bare), { gate, entry: entryOf(bare) }) : planOf(steps, { gate })
  })
  .filter((plan) => validatePlan(plan).every(({ severity }) => severity !== 'error'))

function entryOf(steps: readonly Step[]): readonly string[] {
  const required = steps.findIndex(({ optional }) => !optional)
  return steps.slice(0, required + 1).map(({ id }) => id)
}

/** Why the gate refuses to show a step; undefined if it shows it. */
function refusalOf(plan: Plan, { progress, recorded }: State, id: string): string | undefined {
  const of = skill({ plan, progress, recorded, effort: effort() })
  return stepGate.judge(event('before'), facts({ touched: [touch(id, of)], spans: [span('1')] }))?.block
    ?.reason
}

/** What an agent does that takes a refusal at its word: reads the file, or runs the command. */
function obey(plan: Plan, state: State, refusal: string): State {
  const [, command] = / run (holdfast step done .*?)(?:, then|\. Then)/.exec(refusal) ?? []
  if (command !== undefined)
    return command.split(' && ').reduce((now, one) => {
      const [, label = ''] = /^holdfast step done (\S+) --effort 7$/.exec(one) ?? []
      return report(plan, now, label)
    }, state)
  const [, file = ''] = / \(read (\S+)\)\./.exec(refusal) ?? []
  const named = plan.steps.find(({ place }) => place.file === file)
  if (named === undefined) throw new Error(`Nothing to do in: ${refusal}`)
  return read(plan, state, named.id)
}

/** The gate lets it through, and the visit counts. */
function read(plan: Plan, state: State, id: string): State {
  expect(refusalOf(plan, state, id)).toBeUndefined()
  const visited = visit(plan, state.progress, id, state.recorded)
  if (!visited.ok) throw new Error(visited.why)
  return { ...state, progress: visited.progress }
}

function report(plan: Plan, { progress, recorded }: State, id: string): State {
  const good = new Set([...recorded.good, ...(stepOf(plan, id)?.produces ?? [])])
  const known = { good, stale: recorded.stale }
  if (!progress.current.includes(id)) return { progress, recorded: known }
  const left = end(plan, progress, { step: id, outcome: 'ok' }, { recorded: known, proof: {} })
  if (!left.ok) throw new Error(left.why)
  return { progress: left.progress, recorded: known }
}

const RUNS = { numRuns: Number(process.env['HOLDFAST_RUNS'] ?? 300) }

test('an agent that obeys every refusal literally reaches the end, in at most one move for each step and report', () => {
  fc.assert(
    fc.property(plans, (plan) => {
      let state: State = { progress: begin(plan), recorded: NOTHING_RECORDED }
      const last = plan.steps.at(-1)?.id ?? ''
      let moves = 0
      for (
        let refusal = refusalOf(plan, state, last);
        refusal !== undefined;
        refusal = refusalOf(plan, state, last)
      ) {
        state = obey(plan, state, refusal)
        moves++
        expect(moves).toBeLessThanOrEqual(2 * plan.steps.length)
      }
      // Steps that nothing depends on are left to do in their order.
      for (const { id, optional } of plan.steps)
        if (!optional && state.progress.visits[id] === undefined) {
          const before = refusalOf(plan, state, id)
          if (before !== undefined) state = obey(plan, state, before)
          state = read(plan, state, id)
          state = report(plan, state, id)
        }
      for (const id of state.progress.current) state = report(plan, state, id)
      expect(isCarriedOut(plan, state.progress, state.recorded)).toBe(true)
    }),
    RUNS,
  )
})

test('an agent that ignores every refusal is never shown a step before its inputs exist', () => {
  fc.assert(
    fc.property(plans, fc.array(fc.nat({ max: 7 }), { maxLength: 30 }), (plan, tries) => {
      let state: State = { progress: begin(plan), recorded: NOTHING_RECORDED }
      for (const at of tries) {
        const id = plan.steps[at % plan.steps.length]?.id ?? ''
        if (refusalOf(plan, state, id) !== undefined) continue
        const visited = visit(plan, state.progress, id, state.recorded)
        expect(visited.ok).toBe(true)
        if (visited.ok) state = { progress: visited.progress, recorded: state.recorded }
        const producers = (artifact: string) =>
          plan.steps.filter(({ produces }) => produces.includes(artifact))
        for (const artifact of stepOf(plan, id)?.consumes ?? [])
          expect(
            producers(artifact).some((one) => one.optional || Object.hasOwn(state.progress.visits, one.id)),
          ).toBe(true)
      }
    }),
    RUNS,
  )
})
