import { describe, expect, test } from 'vitest'
import type { HookEvent } from '../model/event.ts'
import { planOf, step } from '../model/plan/case.contract.ts'
import type { Progress } from '../model/plan/advance.ts'
import { inSequence } from '../model/plan/sequence.ts'
import type { Plan } from '../model/plan/plan.ts'
import { effort, facts, FLOW, reading, SESSION, skill, subject } from './case.contract.ts'
import type { Facts } from './facts.ts'
import { stopGate } from './stop-gate.ts'
import { stillOpen } from './told/words.ts'

const HELD: Plan = { ...FLOW, hold: 'stop' }
const PHASES: Plan = {
  ...planOf(inSequence([step('1', { title: 'Make' }), step('2', { title: 'Check', proof: ['checked'] })])),
  notation: 'phases',
  entry: ['1'],
  hold: 'stop',
}
const at = (id: string): Progress => ({
  status: 'running',
  current: [id],
  open: [],
  visits: { [id]: { attempts: 1 } },
})
const MOVED = { hasMoved: true, isHeld: false, isWaiting: false }

const stop = (more: object = {}): HookEvent => ({
  client: 'claude-code',
  kind: 'turn.stopped',
  again: false,
  running: 0,
  ...more,
})
const work = (more: Partial<NonNullable<Facts['work']>> = {}) => ({
  ...skill({ plan: HELD, progress: reading(HELD, ['look']) }),
  effort: effort(),
  ...more,
})
const given = (more: Partial<Facts> = {}) => facts({ work: work(), turn: MOVED, ...more })
const block = (more: Partial<Facts> = {}, of = stop()) => stopGate.judge(of, given(more))?.block

describe('stop-gate', () => {
  test('says what is open, and what to do', () => {
    const [, think] = FLOW.steps
    expect(block()).toEqual({
      reason: `${stillOpen(7, 'flow', '"think", "do"')} Next: read ${think?.place.file}`,
      skill: 'flow',
      effort: 7,
      turn: true,
    })
  })

  test.each<[string, Partial<Facts>, HookEvent?]>([
    ['after a refused end', {}, stop({ again: true })],
    ['while something runs in the background', {}, stop({ running: 1 })],
    ['in plan mode', {}, stop({ permissionMode: 'plan' })],
    ['if the turn did not touch the plan', { turn: { ...MOVED, hasMoved: false } }],
    ['if it was refused in this turn', { turn: { ...MOVED, isHeld: true } }],
    ['while a sub-agent has a step', { turn: { ...MOVED, isWaiting: true } }],
    ['without work', { work: undefined }],
    ['without a plan', { work: work({ plan: undefined }) }],
    ['for advice', { level: 'strict', work: work({ enforceable: false }) }],
    ['at enforce, if the plan does not ask', { work: work({ plan: FLOW }) }],
    [
      'if the plan is parked',
      { work: work({ progress: { status: 'parked', current: [], open: [], visits: {} } }) },
    ],
    ['once the plan is done', { work: work({ progress: reading(HELD, ['look', 'think', 'do']) }) }],
    ['if only faulty steps are left', { work: work({ plan: { ...HELD, faulty: ['think', 'do'] } }) }],
  ])('lets a turn end %s', (_, more, of) => {
    expect(block(more, of)).toBeUndefined()
  })

  test('holds at strict whatever the plan says', () => {
    expect(block({ level: 'strict', work: work({ plan: FLOW }) })).toBeDefined()
  })

  test('names the proof that the last phase owes', () => {
    const reason = block({ work: work({ plan: PHASES, progress: at('2') }) })?.reason
    expect(reason).toContain(stillOpen(7, 'flow', '"2: Check" (owes "checked")'))
    expect(reason).toMatch(/ Next: run holdfast step done 2 --effort 7 --proof /)
  })

  test('waits for the report of a pipeline step', () => {
    const run = { kind: 'command', command: 'make' } as const
    const plan: Plan = {
      ...planOf(inSequence([step('build', { runs: run })])),
      entry: ['build'],
      hold: 'stop',
    }
    expect(block({ work: work({ plan, progress: at('build') }) })?.reason).toContain('open at: "build"')
  })

  test('wakes only for the end of a turn with a plan', () => {
    const window = (hasPlan: boolean) => ({
      session: SESSION,
      watch: { heartbeat: undefined, wantsEffort: false, hasPlan },
    })
    expect(stopGate.wakes(subject(stop()), window(true))).toBe(true)
    expect(stopGate.wakes(subject(stop()), window(false))).toBe(false)
    expect(stopGate.wakes(subject(stop({ again: true })), window(true))).toBe(false)
  })
})
