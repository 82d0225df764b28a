import { describe, expect, test } from 'vitest'
import type { HookEvent, ToolOutcome } from '../model/event.ts'
import { planOf, step } from '../model/plan/case.contract.ts'
import { event, facts, reading, skill, span, touch } from './case.contract.ts'
import type { HandedOver } from './facts.ts'
import { stepGate } from './step-gate.ts'
import { subagentSteps } from './subagent-steps.ts'

const tool = { id: 'call', name: 'Agent', does: { kind: 'agent' as const, prompt: '' }, input: null }
const answered = (subagent: ToolOutcome['subagent']) =>
  event('after', { tool: { ...tool, result: null, ended: false, subagent } })
const failing = (interrupted = false): HookEvent => ({
  client: 'c',
  kind: 'tool.failed',
  tool,
  error: '',
  interrupted,
})
const denied: HookEvent = { client: 'c', kind: 'permission.denied', tool }
const subagent = { id: 'a' }
const stops: HookEvent = { client: 'c', kind: 'subagent.stopped', again: false, running: 0, subagent }
const breaks: HookEvent = { client: 'c', kind: 'turn.failed', error: 'x', subagent }

describe('a step for several sub-agents', () => {
  const plan = planOf([step('look', { produces: ['view'], dispatch: { count: 3, join: 2 } })])
  const given: HandedOver = {
    call: 'call',
    effort: 7,
    steps: ['look'],
    agent: 'a',
    stopped: [],
    skill: skill({ plan }),
  }
  const reported = (what: HookEvent, more: Partial<HandedOver> = {}) =>
    (subagentSteps.judge(what, facts({ delegations: [{ ...given, ...more }] }))?.changes ?? []).flatMap(
      (change) => (change.kind === 'step.reported' ? `${change.step} ${change.outcome}` : []),
    )

  test.each<readonly [string, HookEvent, Partial<HandedOver>, readonly string[]]>([
    ['hears of one that succeeds', stops, {}, ['look ok']],
    ['hears of one that fails', failing(), {}, ['look fail']],
    ['hears of one that breaks down', breaks, {}, ['look fail']],
    ['hears nothing of a call that was denied', denied, {}, []],
    ['hears nothing of a call that the user stopped', failing(true), {}, []],
    ['hears nothing of another effort', stops, { effort: 6 }, []],
    [
      'hears nothing of one that was shown a part',
      stops,
      { seen: { look: { digest: '', total: 2, missing: [2] } } },
      [],
    ],
  ])('%s', (_, what, more, changes) => {
    expect(reported(what, more)).toEqual(changes)
  })

  test('tells the main thread where the work stands after a report', () => {
    const verdict = subagentSteps.judge(answered({ id: 'a', state: 'done' }), facts({ delegations: [given] }))
    expect(verdict).toMatchObject({ tellsStanding: true })
    expect(subagentSteps.judge(stops, facts({ delegations: [given] }))).not.toHaveProperty('tellsStanding')
  })

  test('is refused to whoever comes next with what to do', () => {
    const two = planOf([...plan.steps, step('tell', { consumes: ['view'] })])
    const about = skill({ plan: two, progress: reading(two, ['look']) })
    const refused = stepGate.judge(
      event('before'),
      facts({ spans: [span('a')], touched: [touch('tell', about)] }),
    )
    expect(refused?.block?.reason).toContain('give it to 3 sub-agents; 2 of them must succeed')
    const fresh = stepGate.judge(
      event('before'),
      facts({ spans: [span('a')], touched: [touch('tell', skill({ plan: two }))] }),
    )
    expect(fresh?.block?.reason).toMatch(/Next: do step "look": give it to 3 .* Then: "tell"\./)
  })
})
