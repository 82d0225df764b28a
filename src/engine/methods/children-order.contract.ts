import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { World } from '../world.contract.ts'
import { familyOf, familyPlan } from './family.contract.ts'
import { planOf } from './workflow.contract.ts'

const [COUNT, JOIN] = [3, 2]

interface Event {
  readonly kind: 'enter' | 'begin' | 'finish' | 'abandon' | 'fail'
  readonly child: number
  /** Whether it comes from the visit before. */
  readonly isLate: boolean
  readonly result: string
}

const EVENT: fc.Arbitrary<Event> = fc.record({
  kind: fc.constantFrom('enter', 'begin', 'begin', 'finish', 'finish', 'abandon', 'fail'),
  child: fc.integer({ min: 1, max: COUNT }),
  isLate: fc.boolean(),
  result: fc.constantFrom('pass', 'fail'),
})

interface Kept {
  effort: number | undefined
  state: 'running' | 'ok' | 'fail'
  result: string
}

/** What should become of a step that three sub-agents do, of which two must succeed. */
class Model {
  visits: Map<number, Kept>[] = [new Map()]
  isCurrent = true
  isDone = false
  /** Whether the step after it was entered. */
  isTold = false

  enter(): void {
    if (this.isDone) this.isTold = true
    if (this.isCurrent || this.isDone) return
    this.visits.push(new Map())
    this.isCurrent = true
  }

  of({ child, isLate }: Event): Kept | undefined {
    return this.visits.at(isLate ? -2 : -1)?.get(child)
  }

  end(event: Event, state: 'ok' | 'fail'): void {
    const now = this.visits.at(-1) ?? new Map<number, Kept>()
    if (event.isLate || !this.isCurrent) return
    const kept = now.get(event.child) ?? { effort: undefined, state: 'running', result: '' }
    if (kept.state !== 'running') return
    now.set(event.child, { ...kept, state, result: state === 'ok' ? event.result : '' })
    const many = (which: string) => [...now.values()].filter((one) => one.state === which).length
    if (many('ok') >= JOIN) [this.isCurrent, this.isDone] = [false, true]
    else if (many('fail') > COUNT - JOIN) this.isCurrent = false
  }

  /** What is shown of the step and those after it. */
  shown(): object {
    const now = this.visits.at(-1)
    const states = Array.from({ length: COUNT }, (_, index) => now?.get(index + 1)?.state ?? 'waiting')
    const next = this.isDone ? 'tell' : 'split'
    const isStarted = this.isCurrent || this.isTold
    return {
      visits: this.visits.length,
      children: this.isCurrent ? states : [],
      entry: isStarted ? null : next,
      step: isStarted ? next : null,
    }
  }

  results(): readonly object[] {
    return [...(this.visits.at(-1) ?? [])]
      .filter(([, { state }]) => state !== 'running')
      .toSorted(([a], [b]) => a - b)
      .map(([child, { state, result }]) => ({
        child,
        outcome: state,
        values: state === 'ok' ? { result } : {},
      }))
  }
}

/** Whatever the order of their events, and each of them twice at the same instant. */
export function childrenOrderContract(world: () => World): void {
  describe('sub-agents that begin, end and come back late in any order', () => {
    const say = planOf([{ id: 'say', next: { ok: [] } }], {
      state: { result: { type: 'choice', choices: ['pass', 'fail'] } },
    })
    const begun = () =>
      familyOf(world(), familyPlan({ count: COUNT, join: JOIN, vars: {} }, { workflows: { check: say } }))
    type Family = Awaited<ReturnType<typeof begun>>

    /** The call of an event; undefined if there is nobody for it. */
    function callOf(it: Family, model: Model, event: Event): (() => Promise<unknown>) | undefined {
      const { kind, child, isLate, result } = event
      const visit = model.visits.length - (isLate ? 1 : 0)
      const effort = model.of(event)?.effort
      switch (kind) {
        case 'enter':
          return it.enter
        case 'begin':
          return visit > 0 ? () => it.begin(child, { visit }) : undefined
        case 'fail':
          return visit > 0
            ? () => it.call('step.leave', { step: 'split', visit, child, outcome: 'fail', reason: 'No' })
            : undefined
        case 'finish':
          return effort === undefined ? undefined : () => it.move(effort, 'say', { set: { result } })
        case 'abandon':
          return effort === undefined ? undefined : () => it.giveUp(effort)
        default:
          return kind satisfies never
      }
    }

    async function happen(it: Family, model: Model, event: Event): Promise<void> {
      const work = callOf(it, model, event)
      if (work === undefined) return
      const before = model.of(event)
      const answers = await Promise.allSettled([work(), work()])
      const [told] = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      const { effort_id: effort = null } = (told ?? {}) as { readonly effort_id?: number | null }
      if (event.kind === 'enter') model.enter()
      else if (event.kind === 'begin' && !event.isLate && model.isCurrent && before === undefined) {
        model.visits.at(-1)?.set(event.child, { effort: effort ?? undefined, state: 'running', result: '' })
        if (effort !== null) await world().call('step.enter', { effort_id: effort })
      } else if (event.kind === 'finish') model.end(event, 'ok')
      else if (event.kind !== 'begin') model.end(event, 'fail')
    }

    test('come to one state, and count no visit twice', async () => {
      const runs = Math.ceil(Number(process.env['HOLDFAST_RUNS'] ?? 1) * 12)
      const property = fc.asyncProperty(fc.array(EVENT, { maxLength: 14 }), async (events) => {
        const it = await begun()
        const model = new Model()
        for (const event of events) {
          await happen(it, model, event)
          const { view, steps, entry } = await it.show()
          const children: readonly { readonly state: string }[] = view?.dispatch?.children ?? []
          expect({
            visits: steps[0].attempts,
            children: children.map(({ state }) => state),
            entry,
            step: view?.step ?? null,
          }).toEqual(model.shown())
        }
        const { view } = await it.enter()
        expect(view.results).toEqual(model.isDone ? model.results() : [])
        await it.giveUp(it.id)
      })
      await expect(fc.assert(property, { numRuns: runs })).resolves.toBeUndefined()
    })
  })
}
