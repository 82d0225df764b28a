import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { advance, begin, type Move, type Progress } from './advance.ts'
import { NOTHING_RECORDED } from './evidence.ts'
import { planOf, step } from './case.contract.ts'
import type { Plan } from './plan.ts'
import * as visits from './visit.ts'

/** Nothing is recorded here; visit-recorded.test.ts tests visits with records. */
const visit = (of: Plan, progress: Progress, id: string) => visits.visit(of, progress, id, NOTHING_RECORDED)
const replay = (of: Plan, ids: readonly string[]) => visits.replay(of, ids, NOTHING_RECORDED)
const nextSteps = (of: Plan, progress: Progress) => visits.nextSteps(of, progress, NOTHING_RECORDED)
const isCarriedOut = (of: Plan, progress: Progress) => visits.isCarriedOut(of, progress, NOTHING_RECORDED)

const FLOW = planOf([
  step('look', { consumes: ['user-request'], produces: ['view'] }),
  step('think', { consumes: ['view'], produces: ['idea'] }),
  step('do', { consumes: ['idea'] }),
])

describe('a step that is read', () => {
  test('has begun; that it is done says the next one', () => {
    const one = replay(FLOW, ['look'])
    expect(one).toMatchObject({ current: ['look'], visits: { look: { attempts: 1 } } })
    expect(one.visits['look']).not.toHaveProperty('outcome')
    expect(replay(FLOW, ['look', 'think'])).toMatchObject({
      current: ['think'],
      visits: { look: { outcome: 'ok' }, think: { attempts: 1 } },
    })
  })

  test('again changes nothing', () => {
    const progress = replay(FLOW, ['look', 'think'])
    for (const id of ['look', 'think']) expect(visit(FLOW, progress, id)).toEqual({ ok: true, progress })
  })

  test('too early is refused with what is missing', () => {
    expect(visit(FLOW, replay(FLOW, ['look']), 'do')).toMatchObject({ ok: false, missing: ['idea'] })
    expect(visit(FLOW, begin(FLOW), 'nowhere')).toMatchObject({ ok: false, missing: [] })
  })

  test('may be called what every object inherits', () => {
    const odd = planOf([step('constructor', { produces: ['x'] }), step('__proto__', { consumes: ['x'] })])
    expect(visit(odd, begin(odd), '__proto__').ok).toBe(false)
    const done = JSON.parse(JSON.stringify(replay(odd, ['constructor', '__proto__']))) as Progress
    expect(Object.keys(done.visits)).toEqual(['constructor', '__proto__'])
    expect(isCarriedOut(odd, done)).toBe(true)
  })

  test('where artifacts must be recorded opens nothing by itself, and completes nothing', () => {
    const strict: Plan = { ...FLOW, gate: 'produced' }
    const one = replay(strict, ['look'])
    expect(nextSteps(strict, one)).toEqual([])
    expect(visit(strict, one, 'think')).toMatchObject({ ok: false, missing: ['view'] })
    const last = planOf([step('only', { produces: ['x'] })], { gate: 'produced' })
    expect(isCarriedOut(last, replay(last, ['only']))).toBe(false)
  })

  test('may be optional and come last, before or after all the others are', () => {
    const polish = planOf([...FLOW.steps, step('polish', { consumes: ['idea'], optional: true })])
    expect(nextSteps(polish, replay(polish, ['look', 'think', 'do']))).toEqual(['polish'])
    for (const order of [
      ['look', 'think', 'do', 'polish'],
      ['look', 'think', 'polish', 'do'],
    ]) {
      const progress = replay(polish, order)
      expect(Object.keys(progress.visits)).toEqual(order)
      expect(isCarriedOut(polish, progress)).toBe(true)
    }
  })

  test('of a plan that is led by outcomes leaves the one before it with the plain one, where it has that', () => {
    const led = planOf([step('a', { next: { ok: ['b'] } }), step('b', { next: { ok: [] } })], {
      entry: ['a'],
    })
    expect(isCarriedOut(led, replay(led, ['a', 'b']))).toBe(true)
    const choice = planOf([step('a', { next: { yes: ['b'] } }), step('b', { next: { ok: [] } })], {
      entry: ['a'],
    })
    expect(visit(choice, replay(choice, ['a']), 'b').ok).toBe(false)
  })
})

test('what comes next is in the order of the plan', () => {
  const wide = planOf(['c', 'a', 'b'].map((id) => step(id)))
  expect(nextSteps(wide, begin(wide))).toEqual(['c', 'a', 'b'])
  expect(nextSteps(wide, replay(wide, ['a']))).toEqual(['c', 'b'])
  expect(isCarriedOut(wide, replay(wide, ['b', 'c']))).toBe(false)
  expect(isCarriedOut(wide, replay(wide, ['b', 'c', 'a']))).toBe(true)
})

const runs = Number(process.env['HOLDFAST_RUNS'] ?? 300)

/** Steps that consume only what earlier ones produce, some of them optional. */
const orders = fc
  .array(fc.record({ needs: fc.array(fc.nat(9), { maxLength: 3 }), optional: fc.boolean() }), {
    minLength: 1,
    maxLength: 10,
  })
  .map((rows) =>
    planOf(
      rows.map(({ needs, optional }, index) =>
        step(`s${index}`, {
          consumes: needs.filter((need) => need < index).map((need) => `a${need}`),
          produces: [`a${index}`],
          optional,
        }),
      ),
    ),
  )
/** Anything that could be written down as a plan, also what makes no sense. */
const anyPlan = fc
  .array(
    fc.record({
      consumes: fc.array(fc.nat(6), { maxLength: 3 }),
      produces: fc.array(fc.nat(6), { maxLength: 2 }),
      optional: fc.boolean(),
      next: fc.option(fc.array(fc.nat(8), { maxLength: 3 }), { nil: undefined }),
      limit: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
    }),
    { maxLength: 7 },
  )
  .chain((rows) =>
    fc.record({
      steps: fc.constant(
        rows.map(({ consumes, produces, optional, next, limit }, index) =>
          step(`s${index}`, {
            consumes: consumes.map((one) => `a${one}`),
            produces: produces.map((one) => `a${one}`),
            optional,
            ...(next !== undefined && { next: { ok: next.map((one) => `s${one}`) } }),
            ...(limit !== undefined && { limit }),
          }),
        ),
      ),
      entry: fc.array(fc.nat(8), { maxLength: 2 }).map((ids) => ids.map((one) => `s${one}`)),
      gate: fc.constantFrom<Plan['gate']>('visited', 'produced'),
    }),
  )
  .map(({ steps, ...more }) => planOf(steps, more))
const reads = fc.array(
  fc.nat(9).map((index) => `s${index}`),
  { maxLength: 30 },
)

test('what was refused for want of a record is not begun when it is told again', () => {
  const led = planOf(
    [step('a', { consumes: ['x'], next: { ok: ['b'] } }), step('b', { produces: ['x'], next: { ok: [] } })],
    { gate: 'produced', entry: ['a'] },
  )
  expect(visit(led, begin(led), 'a').ok).toBe(false)
  expect(replay(led, ['a'])).toEqual(begin(led))
})

describe('whatever is read', () => {
  test('the visits that counted, told again, give the same progress, also when it was stored in between', () => {
    fc.assert(
      fc.property(fc.oneof(orders, anyPlan), reads, (of, ids) => {
        let progress = begin(of)
        const counted: string[] = []
        for (const id of ids) {
          const before = JSON.stringify(progress)
          const next = visit(of, progress, id)
          // What is refused changes nothing, and nothing is changed in place.
          expect(JSON.stringify(progress)).toBe(before)
          if (!next.ok) continue
          if (next.progress !== progress) counted.push(id)
          progress = JSON.parse(JSON.stringify(next.progress)) as Progress
        }
        expect(replay(of, counted)).toEqual(progress)
        expect(replay(of, ids)).toEqual(progress)
      }),
      { numRuns: runs },
    )
  })

  test('in any order that the gate allows, all of a plan can be read, and then it is carried out', () => {
    fc.assert(
      fc.property(orders, fc.infiniteStream(fc.nat()), (of, chance) => {
        let progress = begin(of)
        for (;;) {
          const open = of.steps.filter(
            ({ id }) => !Object.hasOwn(progress.visits, id) && visit(of, progress, id).ok,
          )
          expect(open.map(({ id }) => id)).toEqual(nextSteps(of, progress))
          const next = open[(chance.next().value ?? 0) % Math.max(1, open.length)]
          if (next === undefined) break
          const result = visit(of, progress, next.id)
          if (result.ok) progress = result.progress
        }
        expect(Object.keys(progress.visits)).toHaveLength(of.steps.length)
        expect(isCarriedOut(of, progress)).toBe(true)
      }),
      { numRuns: runs },
    )
  })

  test('a plan that has changed meanwhile takes over what fits, and throws nothing', () => {
    fc.assert(
      fc.property(anyPlan, anyPlan, reads, reads, (old, now, before, after) => {
        const stored = replay(old, before)
        const known = Object.keys(stored.visits)
        const progress = replay(now, [...known, ...after])
        const ids = new Set(now.steps.map(({ id }) => id))
        expect(Object.keys(progress.visits).filter((id) => !ids.has(id))).toEqual([])
        // Also where nobody noticed that it has changed.
        for (const id of after) visit(now, stored, id)
        expect(nextSteps(now, stored).filter((id) => !ids.has(id))).toEqual([])
        expect([true, false]).toContain(isCarriedOut(now, stored))
      }),
      { numRuns: runs },
    )
  })
})

describe('where reading is not enough', () => {
  /** Steps one after the other, each of which may be tried twice. */
  const line = (...ids: readonly string[]): Plan =>
    planOf(
      ids.map((id, index) =>
        step(id, { limit: 2, next: { ok: ids.slice(index + 1, index + 2), fail: [id] } }),
      ),
      { notation: 'workflow', gate: 'produced', entry: ids.slice(0, 1) },
    )
  const enter = (id: string): Move => ({ kind: 'enter', step: id })
  const leave = (id: string, outcome = 'ok'): Move => ({ kind: 'leave', step: id, outcome })
  function after(of: Plan, ...moves: readonly Move[]): Progress {
    return moves.reduce((progress, move) => {
      const next = advance(of, progress, move)
      if (!next.ok) throw new Error(next.why)
      return next.progress
    }, begin(of))
  }
  const carried = (from: Progress, visited: readonly string[], to: Plan) =>
    visits.replay(to, visited, NOTHING_RECORDED, from.visits)

  const abc = line('a', 'b', 'c')

  test('into the same plan, everything is carried over as it was', () => {
    for (const moves of [
      [enter('a')],
      [enter('a'), leave('a')],
      [enter('a'), leave('a'), enter('b'), leave('b', 'fail')],
      [enter('a'), leave('a'), enter('b'), leave('b', 'fail'), enter('b')],
      [enter('a'), leave('a', 'fail'), enter('a'), leave('a', 'fail')],
      [enter('a'), leave('a'), enter('b'), leave('b'), enter('c'), leave('c')],
    ]) {
      const progress = after(abc, ...moves)
      const visited = [...new Set(moves.map((move) => move.step))]
      expect(carried(progress, visited, abc)).toEqual(progress)
    }
  })

  test('a step that was begun stays begun, and one that is gone is forgotten with what came after it', () => {
    const progress = after(abc, enter('a'), leave('a'), enter('b'))
    expect(carried(progress, ['a', 'b'], line('a', 'b', 'new'))).toMatchObject({ current: ['b'] })
    expect(carried(progress, ['a', 'b'], line('a', 'new', 'b'))).toMatchObject({ current: [], open: ['new'] })
    expect(carried(progress, ['a', 'b'], line('new', 'a'))).toMatchObject({
      current: [],
      open: ['new'],
      visits: {},
    })
  })

  test('attempts are carried over, so that a change of the file gives nobody new ones', () => {
    const progress = after(abc, enter('a'), leave('a', 'fail'), enter('a'), leave('a', 'fail'))
    expect(carried(progress, ['a'], line('a', 'z'))).toMatchObject({
      status: 'parked',
      visits: { a: { attempts: 2 } },
    })
  })
})

describe('a step that is read only in part', () => {
  const partly = (progress: Progress, id: string) => {
    const next = visits.visit(FLOW, progress, id, NOTHING_RECORDED, { partly: true })
    if (!next.ok) throw new Error(next.why)
    return next.progress
  }
  const begun = partly(begin(FLOW), 'look')

  test('has started and does not end by the next one', () => {
    expect(begun).toMatchObject({ current: ['look'], visits: { look: { attempts: 1, partly: true } } })
    expect(visit(FLOW, begun, 'think')).toMatchObject({ ok: false, missing: ['view'] })
    expect(nextSteps(FLOW, begun)).toEqual(['look'])
    expect(partly(begun, 'look')).toBe(begun)
  })

  test('counts once the rest is read', () => {
    const whole = visit(FLOW, begun, 'look')
    expect(whole).toEqual({ ok: true, progress: replay(FLOW, ['look']) })
    expect(whole.ok && partly(whole.progress, 'look')).toEqual(replay(FLOW, ['look']))
    expect(whole.ok && visit(FLOW, whole.progress, 'think').ok).toBe(true)
  })

  test('is not carried out if it is the last one', () => {
    const last = partly(replay(FLOW, ['look', 'think']), 'do')
    expect(isCarriedOut(FLOW, last)).toBe(false)
    const whole = visit(FLOW, last, 'do')
    expect(whole.ok && isCarriedOut(FLOW, whole.progress)).toBe(true)
  })

  test('is still read in part after the plan changes, and after an approval', () => {
    expect(visits.replay(FLOW, ['look'], NOTHING_RECORDED, begun.visits)).toEqual(begun)
    const loop = planOf([step('look', { next: { ok: ['look'] } })], { entry: ['look'], gate: 'produced' })
    const looped = visits.visit(loop, begin(loop), 'look', NOTHING_RECORDED, { partly: true })
    expect(looped.ok && visits.replay(loop, ['look'], NOTHING_RECORDED, looped.progress.visits)).toEqual(
      looped.ok && looped.progress,
    )
    const approved = visits.visitApproved(FLOW, begin(FLOW), 'do', NOTHING_RECORDED, { partly: true })
    expect(approved).toMatchObject({ ok: true, progress: { visits: { do: { partly: true } } } })
  })
})

test('a step that a loop repeats starts again when it is read after the step before it', () => {
  const plan = planOf([
    step('a', { produces: ['x'] }),
    step('b', { consumes: ['x'], next: { again: ['a'] } }),
  ])
  const read = (progress: Progress, id: string): Progress => {
    const next = visits.visit(plan, progress, id, NOTHING_RECORDED)
    if (!next.ok) throw new Error(next.why)
    return next.progress
  }
  const first = read(read(begin(plan), 'a'), 'b')
  const back = advance(plan, first, { kind: 'leave', step: 'b', outcome: 'again' })
  if (!back.ok) throw new Error(back.why)
  const second = read(read(back.progress, 'a'), 'b')
  expect(second).toMatchObject({ current: ['b'], visits: { b: { attempts: 2 } } })
})
