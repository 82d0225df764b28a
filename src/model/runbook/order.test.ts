import { describe, expect, test } from 'vitest'
import { advance, begin, type Progress } from '../plan/advance.ts'
import type { Plan } from '../plan/plan.ts'
import { item, phase, runbook } from './case.contract.ts'
import { carriedRunbook } from './order.ts'
import { planOf } from './plan.ts'

const plan = planOf(runbook(phase(1, item('1.1', 'opus'), item('1.2', 'opus')), phase(2, item('2.1'))))

/** Starts what is open and ends it, outcome by outcome; the last one may stay started. */
const after = (of: Plan, outcomes: readonly string[], from = begin(of)): Progress =>
  outcomes.reduce((progress, outcome) => {
    const [step = ''] = progress.open
    const entered = advance(of, progress, { kind: 'enter', step })
    if (!entered.ok) throw new Error(entered.why)
    if (outcome === 'begun') return entered.progress
    const left = advance(of, entered.progress, { kind: 'leave', step, outcome })
    if (!left.ok) throw new Error(left.why)
    return left.progress
  }, from)

const INSERTED = planOf(
  runbook(phase(1, item('1.0', 'opus'), item('1.1', 'opus'), item('1.2', 'opus')), phase(2, item('2.1'))),
)
const APPENDED = planOf(
  runbook(phase(1, item('1.1', 'opus'), item('1.2', 'opus'), item('1.3')), phase(2, item('2.1'))),
)
const SHORTER = planOf(runbook(phase(1, item('1.2', 'opus')), phase(2, item('2.1'))))

describe('an edited runbook', () => {
  test.each<[string, Plan, readonly string[], readonly string[], readonly string[]]>([
    ['that did not begin', INSERTED, [], [], ['step-1-0']],
    ['with a step before what is done', INSERTED, ['ok', 'ok'], [], ['step-1-0']],
    ['with a step before the one that is started', INSERTED, ['ok', 'begun'], ['step-1-2'], []],
    ['with a step behind what is done', APPENDED, ['ok'], [], ['step-1-2']],
    ['with a step of a phase that was checked', APPENDED, ['ok', 'ok', 'ok'], [], ['step-1-3']],
    ['without a step that was done', SHORTER, ['ok'], [], ['step-1-2']],
    ['without the step that was started', SHORTER, ['begun'], [], ['step-1-2']],
    ['whose review waits for its fix', SHORTER, ['ok', 'ok', 'fail'], [], ['fix-checkpoint-1']],
    ['whose review waits to be done again', SHORTER, ['ok', 'ok', 'again'], [], ['checkpoint-1']],
    ['whose fix waits for the review', SHORTER, ['ok', 'ok', 'fail', 'ok'], [], ['checkpoint-1']],
  ])('%s goes on at its first step that is not done', (_, edited, outcomes, current, open) => {
    expect(carriedRunbook(edited, after(plan, outcomes))).toMatchObject({ status: 'running', current, open })
  })

  test('does no step twice, however late it gets an earlier one', () => {
    const done = after(plan, ['ok', 'ok', 'ok'])
    const carried = after(INSERTED, ['ok'], carriedRunbook(INSERTED, done))
    // The new step has changed the phase, so its checkpoint is done again.
    expect(carried.open).toEqual(['checkpoint-1'])
    const end = after(INSERTED, ['ok', 'ok', 'ok', 'ok'], carried)
    expect(end).toMatchObject({ status: 'completed' })
    expect(Object.values(end.visits).map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 1, 1, 1])
  })

  test('comes back to an earlier step once the started one has ended', () => {
    const carried = carriedRunbook(INSERTED, after(plan, ['ok', 'begun']))
    const left = advance(INSERTED, carried, { kind: 'leave', step: 'step-1-2', outcome: 'ok' })
    expect(left).toMatchObject({ progress: { open: ['step-1-0'] } })
  })

  test('keeps the tries of a step, also at its limit', () => {
    expect(carriedRunbook(APPENDED, after(plan, ['fail']))).toMatchObject({ status: 'parked' })
    const tried = after(plan, ['ok', 'ok', 'ok', 'fail'])
    expect(carriedRunbook(APPENDED, { ...tried })).toMatchObject({ open: ['step-1-3'] })
    expect(carriedRunbook(SHORTER, tried).visits['step-2-1']).toMatchObject({ attempts: 1, outcome: 'fail' })
  })

  test('that has only what is done is completed', () => {
    const short = planOf(runbook(phase(1, item('1.1', 'opus'))))
    const done = after(short, ['ok', 'ok'])
    expect(carriedRunbook(short, done)).toMatchObject({ status: 'completed', open: [] })
  })
})
