import { describe, expect, test } from 'vitest'
import { begin, type Progress } from './advance.ts'
import { NOTHING_RECORDED, type Recorded } from './evidence.ts'
import { planOf, step as stepOf } from './case.contract.ts'
import type { Plan, Step } from './plan.ts'
import { isCarriedOut, leaveRecorded, nextSteps, owedBy, replay, visit, visitApproved } from './visit.ts'

const step = (
  id: string,
  consumes: readonly string[],
  produces: readonly string[],
  more: Partial<Step> = {},
): Step => stepOf(id, { consumes, produces, ...more })
const plan = (gate: Plan['gate'], steps: readonly Step[], entry: readonly string[] = []): Plan =>
  planOf(steps, { gate, entry })
const LINE = [
  step('look', ['user-request'], ['view']),
  step('think', ['view'], ['idea', 'doubt']),
  step('do', ['idea'], []),
]
const recorded = (...good: readonly string[]): Recorded => ({ good: new Set(good), stale: new Set() })

/** The progress after steps that may all be read. */
function reading(of: Plan, steps: readonly string[], with_: Recorded = NOTHING_RECORDED): Progress {
  return steps.reduce((progress, id) => {
    const next = visit(of, progress, id, with_)
    if (!next.ok) throw new Error(next.why)
    return next.progress
  }, begin(of))
}

describe('where reading is enough', () => {
  const visited = plan('visited', LINE)

  test('going on ends what was read, whatever is recorded', () => {
    const progress = reading(visited, ['look', 'think', 'do'])
    expect(progress.visits['think']?.outcome).toBe('ok')
    expect(isCarriedOut(visited, progress, NOTHING_RECORDED)).toBe(true)
    expect(owedBy(visited, progress, NOTHING_RECORDED)).toEqual([])
  })

  test('nothing that is recorded moves it', () => {
    const progress = reading(visited, ['look'])
    expect(leaveRecorded(visited, progress, recorded('view'))).toBe(progress)
  })
})

describe('where artifacts must be recorded', () => {
  const produced = plan('produced', LINE)

  test.each<[string, readonly string[], readonly string[], readonly string[], readonly string[]]>([
    ['nothing was read', [], [], [], ['look']],
    ['a step was read', ['look'], [], ['view'], []],
    ['it has produced', ['look'], ['view'], [], ['think']],
    ['the next one was read', ['look', 'think'], ['view'], ['idea', 'doubt'], []],
    ['it has produced one of two', ['look', 'think'], ['view', 'idea'], ['doubt'], []],
    ['it has produced both', ['look', 'think'], ['view', 'idea', 'doubt'], [], ['do']],
  ])('when %s, what is owed and what is next', (_, steps, names, owed, next) => {
    const progress = reading(produced, steps, recorded(...names))
    expect(owedBy(produced, progress, recorded(...names))).toEqual(owed)
    expect(nextSteps(produced, progress, recorded(...names))).toEqual(next)
  })

  test('a step is refused with what is missing, and what was read may be read again', () => {
    const progress = reading(produced, ['look'])
    expect(visit(produced, progress, 'think', NOTHING_RECORDED)).toMatchObject({
      ok: false,
      missing: ['view'],
    })
    expect(visit(produced, progress, 'do', recorded('idea'))).toMatchObject({ ok: false })
    expect(visit(produced, progress, 'look', NOTHING_RECORDED)).toEqual({ ok: true, progress })
  })

  test('what has gone stale after its step had ended is missing again', () => {
    const progress = leaveRecorded(produced, reading(produced, ['look']), recorded('view'))
    expect(progress.visits['look']?.outcome).toBe('ok')
    const stale: Recorded = { good: new Set(), stale: new Set(['view']) }
    expect(visit(produced, progress, 'think', stale)).toMatchObject({ ok: false, missing: ['view'] })
    expect(nextSteps(produced, progress, stale)).toEqual([])
    expect(visit(produced, progress, 'think', recorded('view')).ok).toBe(true)
  })

  test('a step that produces nothing ends when the next begins, and not when something else is recorded', () => {
    const steps = [step('a', [], []), step('b', [], ['x'])]
    const both = plan('produced', steps)
    const progress = reading(both, ['a'])
    expect(leaveRecorded(both, progress, recorded('x')).current).toEqual(['a'])
    expect(reading(both, ['a', 'b']).visits['a']?.outcome).toBe('ok')
  })

  test('what only an optional step produces is not waited for', () => {
    const optional = plan('produced', [step('a', [], ['x'], { optional: true }), step('b', ['x'], [])])
    expect(visit(optional, begin(optional), 'b', NOTHING_RECORDED).ok).toBe(true)
  })

  test('it holds where outcomes lead from step to step too', () => {
    const led = plan(
      'produced',
      [step('a', [], ['x'], { next: { ok: ['b'] } }), step('b', [], [], { next: { ok: [] } })],
      ['a'],
    )
    const progress = reading(led, ['a'])
    expect(visit(led, progress, 'b', NOTHING_RECORDED).ok).toBe(false)
    expect(owedBy(led, progress, NOTHING_RECORDED)).toEqual(['x'])
    expect(visit(led, progress, 'b', recorded('x')).ok).toBe(true)
  })

  test('it is over with the last artifact', () => {
    const all = recorded('view', 'idea', 'doubt')
    expect(isCarriedOut(produced, reading(produced, ['look', 'think'], all), all)).toBe(false)
    expect(isCarriedOut(produced, reading(produced, ['look', 'think', 'do'], all), all)).toBe(true)
  })

  test('a plan that has changed is carried on with what was read and recorded', () => {
    expect(replay(produced, ['look', 'think'], recorded('view')).current).toEqual(['think'])
    expect(replay(produced, ['look', 'think'], recorded()).current).toEqual(['look'])
    expect(replay(produced, ['look'], recorded('view')).open).toEqual(['think'])
  })
  test('where outcomes lead on, how it ended is carried over only as far as it is still shown', () => {
    const led = plan(
      'produced',
      [
        step('a', [], ['x'], { limit: 2, next: { ok: ['b'], fail: ['a'] } }),
        step('b', [], [], { next: { ok: [] } }),
      ],
      ['a'],
    )
    const past = { a: { attempts: 2, outcome: 'ok' } }
    expect(replay(led, ['a'], recorded('x'), past)).toMatchObject({ open: ['b'], visits: past })
    expect(replay(led, ['a'], recorded(), past)).toMatchObject({
      current: ['a'],
      visits: { a: { attempts: 2 } },
    })
  })

  test('what the user allows is read without its inputs, and leaves what is owed as it was', () => {
    const progress = reading(produced, ['look'])
    const allowed = visitApproved(produced, progress, 'think', NOTHING_RECORDED)
    expect(allowed).toMatchObject({ ok: true, progress: { current: ['look', 'think'] } })
  })

  test.each(['visited', 'produced'] as const)(
    'a step that owes proof does not end by reading (%s)',
    (gate) => {
      const asking = plan(gate, [
        step('a', [], ['x'], { proof: ['seen'] }),
        step('b', ['x'], [], { proof: ['told'] }),
      ])
      const begun = reading(asking, ['a'], recorded('x'))
      expect(visit(asking, begun, 'b', recorded('x')).ok).toBe(false)
      expect(nextSteps(asking, begun, recorded('x'))).toEqual([])
      const both = reading(asking, ['a', 'b'], recorded('x', 'seen'))
      expect(both.current).toEqual(['b'])
      expect(isCarriedOut(asking, both, recorded('x', 'seen'))).toBe(false)
      expect(isCarriedOut(asking, both, recorded('x', 'seen', 'told'))).toBe(true)
    },
  )

  test('a step that ended with its proof stays done in a plan that has changed', () => {
    const asking = plan('visited', [step('a', [], ['x'], { proof: ['seen'] }), step('b', ['x'], [])])
    const past = { a: { attempts: 1, outcome: 'ok' }, b: { attempts: 1 } }
    expect(replay(asking, ['a', 'b'], recorded(), past)).toMatchObject({ current: ['b'], visits: past })
    expect(replay(asking, ['a'], recorded(), { a: { attempts: 1 } }).current).toEqual(['a'])
  })

  test('a step of a pipeline ends with a report, not with what comes after it', () => {
    const runs = { kind: 'prompt', prompt: 'x' } as const
    const line = plan('produced', [step('only', [], [], { runs, next: { ok: [] } })], ['only'])
    const begun = reading(line, ['only'])
    expect(isCarriedOut(line, begun, NOTHING_RECORDED)).toBe(false)
  })
})
