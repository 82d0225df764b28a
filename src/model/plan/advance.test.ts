import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { advance, begin, type Move, type Progress } from './advance.ts'
import { planOf, step } from './case.contract.ts'
import type { Plan, Step } from './plan.ts'
import { validatePlan } from './validate.ts'

const plan = (entry: readonly string[], steps: readonly Step[]): Plan =>
  planOf(steps, { notation: 'workflow', entry })

/** The progress after moves that must all be allowed. */
function after(of: Plan, ...moves: readonly Move[]): Progress {
  return moves.reduce((progress, move) => {
    const result = advance(of, progress, move)
    if (!result.ok) throw new Error(result.why)
    return result.progress
  }, begin(of))
}
const enter = (id: string): Move => ({ kind: 'enter', step: id })
const leave = (id: string, outcome = 'ok'): Move => ({ kind: 'leave', step: id, outcome })

describe('outcomes', () => {
  const review = plan(
    ['work'],
    [
      step('work', { next: { ok: ['review'] }, limit: 3 }),
      step('review', { next: { ok: [], fail: ['work'] } }),
    ],
  )

  test('lead from step to step, and an explicit end completes', () => {
    expect(after(review, enter('work'), leave('work')).open).toEqual(['review'])
    expect(after(review, enter('work'), leave('work'), enter('review'), leave('review')).status).toBe(
      'completed',
    )
  })

  test('that nobody mapped are refused instead of completing', () => {
    const progress = after(review, enter('work'), leave('work'), enter('review'))
    expect(advance(review, progress, leave('review', 'maybe'))).toMatchObject({
      ok: false,
      why: expect.stringContaining('maybe'),
    })
  })

  test('are refused also under names that every object inherits', () => {
    const progress = after(review, enter('work'))
    for (const name of ['constructor', 'toString', '__proto__'])
      expect(advance(review, progress, leave('work', name))).toMatchObject({
        ok: false,
        why: expect.stringContaining(name),
      })
  })

  test('that end explicitly do not fall through to the default', () => {
    const ending = plan(
      ['a'],
      [step('a', { next: { skip: [], _default: ['b'] } }), step('b', { next: { ok: [] } })],
    )
    expect(after(ending, enter('a'), leave('a', 'skip')).status).toBe('completed')
    expect(after(ending, enter('a'), leave('a', 'odd')).open).toEqual(['b'])
  })

  test('loop up to the limit, then the user must choose, and may', () => {
    const round = [enter('work'), leave('work'), enter('review'), leave('review', 'fail')]
    const parked = after(review, ...round, ...round, ...round)
    expect(parked).toMatchObject({ status: 'parked', reason: expect.stringContaining('work') })
    expect(advance(review, parked, enter('work'))).toMatchObject({ ok: false })
    expect(after(review, ...round, ...round, ...round, { kind: 'resume', step: 'review' }).open).toEqual([
      'review',
    ])
  })
})

describe('what the user allows', () => {
  const line = plan(
    ['a'],
    [
      step('a', { next: { ok: ['b'], fail: ['a'] }, limit: 1 }),
      step('b', { next: { ok: ['c'] } }),
      step('c', { next: { ok: [] } }),
    ],
  )
  const allowed = (id: string): Move => ({ kind: 'enter', step: id, approved: true })

  test('is entered although it is not next, and the plan goes on from there', () => {
    expect(advance(line, begin(line), enter('c'))).toMatchObject({ ok: false })
    expect(after(line, allowed('c'), leave('c')).status).toBe('completed')
    expect(after(line, allowed('b'), leave('b')).open).toEqual(['c'])
  })

  test('is entered beyond its limit, from a plan that is parked or completed, and counts as an attempt', () => {
    const parked = after(line, enter('a'), leave('a', 'fail'))
    expect(parked).toMatchObject({ status: 'parked', reason: 'Limit reached for step "a".' })
    const again = after(line, enter('a'), leave('a', 'fail'), allowed('a'))
    expect(again).toEqual({ status: 'running', current: ['a'], open: [], visits: { a: { attempts: 2 } } })
    const over = [enter('a'), leave('a'), enter('b'), leave('b'), enter('c'), leave('c')]
    expect(after(line, ...over, allowed('a')).visits['a']).toEqual({ attempts: 2 })
  })

  test('must be a step of the plan', () => {
    expect(advance(line, begin(line), allowed('z'))).toMatchObject({ ok: false })
  })
})

describe('artifacts', () => {
  const contracts = plan(
    [],
    [
      step('probe', { consumes: ['user-request'], produces: ['depth'] }),
      step('extra', { produces: ['notes'], optional: true }),
      step('prompt', { consumes: ['depth', 'notes'], produces: ['prompt'] }),
    ],
  )

  test('open a step when what it consumes is there; optional producers are not waited for', () => {
    expect(begin(contracts).open).toEqual(['probe', 'extra'])
    expect(advance(contracts, begin(contracts), enter('prompt'))).toMatchObject({
      ok: false,
      missing: ['depth'],
    })
    expect(after(contracts, enter('probe'), leave('probe'), enter('prompt'), leave('prompt')).status).toBe(
      'completed',
    )
  })

  test('started is not completed', () => {
    expect(advance(contracts, after(contracts, enter('probe')), enter('prompt'))).toMatchObject({ ok: false })
  })

  test('a failed step is open again', () => {
    expect(after(contracts, enter('probe'), leave('probe', 'fail')).open).toContain('probe')
  })

  test('a step that is done again closes what consumes its product, until it ends', () => {
    const again = [enter('probe'), leave('probe'), { ...enter('probe'), approved: true }]
    expect(after(contracts, enter('probe'), leave('probe')).open).toEqual(['extra', 'prompt'])
    expect(after(contracts, ...again).open).toEqual(['extra'])
    expect(after(contracts, ...again, leave('probe')).open).toEqual(['extra', 'prompt'])
  })

  test('a failed step is open again also after what it consumes was done again', () => {
    const looped: Plan = {
      ...contracts,
      steps: [step('make', { produces: ['x'] }), step('try', { consumes: ['x'], next: { again: ['make'] } })],
    }
    const failed = [enter('make'), leave('make'), enter('try'), leave('try', 'fail')]
    expect(after(looped, ...failed).open).toEqual(['try'])
    const again = [...failed, { ...enter('make'), approved: true }, leave('make')]
    expect(after(looped, ...again)).toMatchObject({ status: 'running', open: ['try'] })
  })
})

/** Graphs of up to eight steps in which every step has a limit and at least one way on. */
const graphs = fc.integer({ min: 1, max: 8 }).chain((size) => {
  const ids = Array.from({ length: size }, (_, index) => `s${index}`)
  const targets = fc.subarray(ids)
  return fc
    .tuple(...ids.map(() => fc.record({ ok: targets, fail: targets, limit: fc.integer({ min: 1, max: 4 }) })))
    .map((edges) =>
      plan(
        ['s0'],
        ids.map((id, index) =>
          step(id, {
            limit: edges[index]?.limit ?? 1,
            next: { ok: edges[index]?.ok ?? [], fail: edges[index]?.fail ?? [] },
          }),
        ),
      ),
    )
})

/** Steps led by artifacts, each consuming only what an earlier one produces. */
const orders = fc.integer({ min: 1, max: 8 }).chain((size) =>
  fc
    .tuple(
      ...Array.from({ length: size }, (_, index) =>
        fc.record({
          needs: fc.subarray(Array.from({ length: index }, (__, before) => before)),
          optional: fc.boolean(),
        }),
      ),
    )
    .map((rows) =>
      plan(
        [],
        rows.map(({ needs, optional }, index) =>
          step(`s${index}`, { consumes: needs.map((need) => `a${need}`), produces: [`a${index}`], optional }),
        ),
      ),
    ),
)

const runs = Number(process.env['HOLDFAST_RUNS'] ?? 300)

describe('whatever is chosen', () => {
  test('a plan is never stuck: it is running with something to do, completed, or parked with a reason', () => {
    fc.assert(
      fc.property(fc.oneof(graphs, orders), fc.infiniteStream(fc.nat()), (of, chance) => {
        let progress = begin(of)
        for (let moves = 0; progress.status === 'running'; moves++) {
          expect(moves).toBeLessThan(200)
          const choices: Move[] = [
            ...progress.open.map(enter),
            ...progress.current.flatMap((id) => [leave(id), leave(id, of.entry.length > 0 ? 'fail' : 'ok')]),
          ]
          const move = choices[(chance.next().value ?? 0) % choices.length]
          if (move === undefined) throw new Error('It runs and nothing can be done.')
          const result = advance(of, progress, move)
          if (!result.ok) throw new Error(result.why)
          progress = result.progress
        }
        expect(progress.status === 'completed' || (progress.reason ?? '') !== '').toBe(true)
      }),
      { numRuns: runs },
    )
  })

  test('only what is open can be entered, limits hold, and a refusal changes nothing', () => {
    fc.assert(
      fc.property(
        fc.oneof(graphs, orders),
        fc.array(fc.tuple(fc.nat(7), fc.constantFrom('enter', 'ok', 'fail')), { maxLength: 60 }),
        (of, tries) => {
          let progress = begin(of)
          for (const [index, what] of tries) {
            const id = `s${index}`
            const before = structuredClone(progress)
            const result = advance(of, progress, what === 'enter' ? enter(id) : leave(id, what))
            const wasOpen = before.open.includes(id) || before.current.includes(id)
            expect(what !== 'enter' || !result.ok || wasOpen).toBe(true)
            expect(progress).toEqual(before)
            if (result.ok) progress = result.progress
            for (const one of of.steps)
              expect(progress.visits[one.id]?.attempts ?? 0).toBeLessThanOrEqual(one.limit ?? Infinity)
          }
        },
      ),
      { numRuns: runs },
    )
  })

  test('nothing required is skipped: a completed order has done every step that is not optional', () => {
    fc.assert(
      fc.property(orders, fc.infiniteStream(fc.nat()), (of, chance) => {
        let progress = begin(of)
        while (progress.status === 'running') {
          const id = progress.open[(chance.next().value ?? 0) % progress.open.length] ?? ''
          progress = [enter(id), leave(id)].reduce((now, move) => {
            const result = advance(of, now, move)
            return result.ok ? result.progress : now
          }, progress)
        }
        expect(progress.status).toBe('completed')
        const required = of.steps.filter((one) => !one.optional)
        expect(required.filter((one) => progress.visits[one.id]?.outcome !== 'ok')).toEqual([])
      }),
      { numRuns: runs },
    )
  })

  test('the same history gives the same progress, also after it was stored and read back', () => {
    fc.assert(
      fc.property(
        graphs,
        fc.array(fc.tuple(fc.nat(7), fc.constantFrom('enter', 'ok', 'fail')), { maxLength: 40 }),
        (of, tries) => {
          const moves = tries.map(([index, what]) =>
            what === 'enter' ? enter(`s${index}`) : leave(`s${index}`, what),
          )
          const walk = (store: (progress: Progress) => Progress) =>
            moves.reduce((progress, move) => {
              const result = advance(of, progress, move)
              return store(result.ok ? result.progress : progress)
            }, begin(of))
          expect(walk((progress) => JSON.parse(JSON.stringify(progress)) as Progress)).toEqual(
            walk((progress) => progress),
          )
        },
      ),
      { numRuns: runs },
    )
  })
})

describe('the validator', () => {
  const codes = (of: Plan) => validatePlan(of).map(({ code }) => code)

  test.each<[string, Plan, readonly string[], RegExp]>([
    [
      'two of one id',
      plan(['a'], [step('a', { next: { ok: [] } }), step('a', { next: { ok: [] } })]),
      ['HF301'],
      /already defined at \/s\/flow\/steps\/a\.md:1/,
    ],
    ['an unknown entry', plan(['a', 'z'], [step('a', { next: { ok: [] } })]), ['HF302'], /begins with z/],
    [
      'an unknown target',
      plan(['a'], [step('a', { next: { ok: ['b'], fail: [] } })]),
      ['HF302'],
      /leads to b/,
    ],
    [
      'an unknown target of an error',
      plan(['a'], [step('a', { next: { ok: [] }, onError: 'z' })]),
      ['HF302'],
      /leads to z/,
    ],
    [
      'a dead end',
      plan(['a'], [step('a', { next: { ok: ['b'], skip: [] } }), step('b', { next: {} })]),
      ['HF303'],
      /Step b/,
    ],
    [
      'an orphan',
      plan(['a'], [step('a', { next: { ok: [] } }), step('b', { next: { ok: [] } })]),
      ['HF304'],
      /from a/,
    ],
    ['no end', plan(['a'], [step('a', { next: { ok: ['a'] }, limit: 2 })]), ['HF305'], /1 steps/],
    [
      'a loop without limit',
      plan(['a'], [step('a', { next: { ok: ['b'] } }), step('b', { next: { ok: [], fail: ['a'] } })]),
      ['HF306'],
      /a → b → a/,
    ],
    ['what nobody produces', plan([], [step('a', { consumes: ['x'] })]), ['HF307'], /consumes x/],
    [
      'two producers',
      plan([], [step('a', { produces: ['x'] }), step('b', { produces: ['x'] })]),
      ['HF308'],
      /which a produces already/,
    ],
    [
      'its own product',
      plan([], [step('a', { consumes: ['x'], produces: ['x'] })]),
      ['HF309'],
      /produces itself/,
    ],
    [
      'a circle',
      plan(
        [],
        [step('a', { consumes: ['y'], produces: ['x'] }), step('b', { consumes: ['x'], produces: ['y'] })],
      ),
      ['HF313'],
      /a → b → a/,
    ],
  ])('finds %s, and says where', (_, of, expected, message) => {
    expect(codes(of)).toEqual(expected)
    expect(validatePlan(of)[0]?.message).toMatch(message)
  })

  test('finds nothing in a loop that has a limit', () => {
    expect(
      codes(
        plan(
          ['a'],
          [step('a', { next: { ok: ['b'] }, limit: 5 }), step('b', { next: { ok: [], fail: ['a'] } })],
        ),
      ),
    ).toEqual([])
  })

  test('takes a time that grows with the size, not with its square', () => {
    const chain = Array.from({ length: 5000 }, (_, index) =>
      step(`s${index}`, { next: { ok: index === 4999 ? [] : [`s${index + 1}`] } }),
    )
    expect(codes(plan(['s0'], chain))).toEqual([])
  })
})
