import { describe, expect, test } from 'vitest'
import type { HookEvent, ToolOutcome } from '../model/event.ts'
import { event, facts, FLOW, reading, skill, span, touch } from './case.contract.ts'
import { rules } from './index.ts'
import { judge } from './judge.ts'
import type { HandedOver } from './facts.ts'
import { stepGate } from './step-gate.ts'
import { isHandOver, stepsHandedOver, subagentSteps } from './subagent-steps.ts'

const tool = (prompt: string, id: string | undefined = 'call') => ({
  id,
  name: 'Agent',
  does: { kind: 'agent' as const, prompt },
  input: null,
})
const asking = (prompt: string, id?: string) => event('before', { tool: tool(prompt, id) })
const answered = (subagent?: ToolOutcome['subagent'], id = 'call') =>
  event('after', { tool: { ...tool('', id), result: null, ended: false, subagent } })
const failing = (id: string): HookEvent => ({
  client: 'c',
  kind: 'tool.failed',
  tool: tool('', id),
  error: '',
  interrupted: false,
})
const denied = (id: string): HookEvent => ({ client: 'c', kind: 'permission.denied', tool: tool('', id) })
const stops = (agent: string | undefined): HookEvent => ({
  client: 'c',
  kind: 'subagent.stopped',
  again: false,
  running: 0,
  ...(agent !== undefined && { subagent: { id: agent } }),
})
const breaks = (agent: string): HookEvent => ({
  client: 'c',
  kind: 'turn.failed',
  error: 'x',
  subagent: { id: agent },
})

describe('a call that hands steps to a sub-agent', () => {
  const given = (prompt: string, more: Parameters<typeof skill>[0] = {}) =>
    facts({ spans: [span('a')], delegated: stepsHandedOver(skill(more), asking(prompt), true) })
  const both = [stepGate, subagentSteps] as const
  const judged = (prompt: string, more?: Parameters<typeof skill>[0]) =>
    both.map((rule) => rule.judge(asking(prompt), given(prompt, more)))

  test('records them as delegated, in the order of the prompt', () => {
    const [gate, rule] = judged('Read steps/look.md, then steps/think.md.')
    expect(gate).toBeUndefined()
    expect(rule?.changes).toEqual([
      { kind: 'steps.delegated', skill: 'flow', effort: 7, call: 'call', steps: ['look', 'think'] },
    ])
  })

  test('is refused like reading where the inputs of a step are missing', () => {
    const [gate] = judged('Read steps/do.md.', { progress: reading(FLOW, ['look']) })
    expect(gate?.block).toMatchObject({
      step: 'do',
      reason: expect.stringContaining('"idea", which step "think" produces'),
    })
  })

  test('is refused where what comes first comes last', () => {
    expect(judged('Read steps/think.md and steps/look.md')[0]?.block).toMatchObject({ step: 'think' })
  })

  test.each([
    ['names no step', 'Review notes.md', {}],
    ['has a skill without a plan', 'steps/look.md', { plan: undefined }],
  ])('is left alone where it %s', (_, prompt, more) => {
    expect(judged(prompt, more)).toEqual([undefined, undefined])
  })

  test('hands nothing over where it is refused for another reason', () => {
    const path = '/p/AGENTS.md'
    const directive = { path, type: 'AGENTS', folder: '/p', kind: 'hard', text: '', isWritten: true } as const
    const about = { ...given('steps/look.md'), directives: [directive] }
    const { changes } = judge(asking('steps/look.md'), about, rules)
    expect(changes.map(({ kind }) => kind)).toEqual(['directives.told', 'refused'])
  })

  test('cannot be followed without an id', () => {
    const prompt = asking('steps/look.md', '')
    const without = { ...prompt, tool: { ...tool('steps/look.md'), id: undefined } } as HookEvent
    expect(subagentSteps.judge(without, given('steps/look.md'))).toBeUndefined()
  })

  test('is asked only of calls that could', () => {
    expect(stepsHandedOver(skill(), event('before'), true)).toEqual([])
    expect([asking('a.md'), answered(), failing('x'), denied('x')].every(isHandOver)).toBe(true)
    expect([asking('a'), event('before'), event('after'), stops('a')].some(isHandOver)).toBe(false)
  })
})

describe('what was handed over', () => {
  const handed = (more: Partial<HandedOver> = {}) =>
    facts({
      delegations: [
        {
          call: 'call',
          effort: 7,
          steps: ['look', 'think'],
          agent: undefined,
          stopped: [],
          skill: skill(),
          ...more,
        },
      ],
    })
  const about = { kind: 'delegation.noted', skill: 'flow', call: 'call' }
  const kinds = (what: HookEvent, more?: Partial<HandedOver>) =>
    (subagentSteps.judge(what, handed(more))?.changes ?? []).map((change) =>
      change.kind === 'step.visited' ? change.step : change,
    )
  const counted = ['look', 'think', { ...about, outcome: 'ok' }]
  const failed = [{ ...about, outcome: 'failed' }]

  test.each<readonly [string, HookEvent, Partial<HandedOver>, readonly unknown[]]>([
    ['counts when its call comes back done', answered({ id: 'a', state: 'done' }), {}, counted],
    [
      'is tied to the sub-agent that goes on',
      answered({ id: 'a', state: 'running' }),
      {},
      [{ ...about, agent: 'a' }],
    ],
    ['is tied once', answered({ id: 'a', state: 'running' }), { agent: 'a' }, []],
    ['counts when that one stops', stops('a'), { agent: 'a' }, counted],
    ['does not count when another stops', stops('b'), { agent: 'a' }, []],
    ['notes who stopped before it was tied', stops('a'), {}, [{ ...about, stopped: 'a' }]],
    [
      'counts when that one had stopped before',
      answered({ id: 'a', state: 'running' }),
      { stopped: ['a'] },
      counted,
    ],
    [
      'does not count when nobody can say how it ended',
      answered({ id: 'a', state: 'unknown' }),
      { stopped: ['a'] },
      [],
    ],
    ['does not count without a word of its sub-agent', answered(), {}, []],
    ['does not count for another call', answered({ id: 'a', state: 'done' }, 'other'), {}, []],
    ['is over when its call failed', failing('call'), {}, failed],
    ['is over when its call was denied', denied('call'), {}, failed],
    ['is over when its sub-agent broke down', breaks('a'), { agent: 'a' }, failed],
    ['is left alone when another call failed', failing('other'), {}, []],
    ['is left alone when another sub-agent broke down', breaks('b'), { agent: 'a' }, []],
    ['is left alone by a stop of nobody', stops(undefined), {}, []],
    ['is left alone by what is no end', event('prompt'), {}, []],
    [
      'ends without a visit where another effort has begun since',
      stops('a'),
      { agent: 'a', effort: 6 },
      counted.slice(2),
    ],
    [
      'ends without a visit where the plan is gone',
      stops('a'),
      { agent: 'a', skill: skill({ plan: undefined }) },
      counted.slice(2),
    ],
  ])('%s', (_, what, more, changes) => {
    expect(kinds(what, more)).toEqual(changes)
  })

  test('counts once against the plan if the user approved it', () => {
    const allowed = handed({ agent: 'a', steps: ['do'], skill: skill({ approved: ['do'] }) })
    expect(subagentSteps.judge(stops('a'), allowed)?.changes?.[0]).toMatchObject({
      kind: 'step.visited',
      step: 'do',
      approved: true,
      progress: { current: ['do'] },
    })
  })

  test('counts from where the plan stands then', () => {
    const progress = reading(FLOW, ['look'])
    const [visit] =
      subagentSteps.judge(
        stops('a'),
        handed({ agent: 'a', steps: ['look', 'do'], skill: skill({ progress }) }),
      )?.changes ?? []
    // A step out of order is recorded without progress.
    expect(visit).toEqual({ kind: 'step.visited', skill: 'flow', step: 'do', progress: undefined })
  })

  test('is told once where it was out of order', () => {
    const given = handed({ agent: 'a', steps: ['do'], skill: skill({ progress: reading(FLOW, ['look']) }) })
    const spans = [{ ...span('a'), steps: ['do'] }]
    expect(subagentSteps.judge(stops('a'), { ...given, spans })?.changes).toEqual([
      { ...about, outcome: 'ok' },
    ])
  })
})

describe('what a sub-agent is shown', () => {
  const seen = (missing: readonly number[]) => ({ digest: 'd', total: 4, missing })
  const given = { call: 'call', effort: 7, steps: ['look'], agent: undefined, stopped: [], skill: skill() }
  const reads = (more: Partial<HandedOver>, now: ReturnType<typeof seen> | undefined, id = 'look') =>
    subagentSteps.judge(
      { ...event('after'), subagent: { id: 'a' } },
      facts({ delegations: [{ ...given, ...more }], touched: [{ ...touch(id), seen: now }] }),
    )?.changes

  test('by the prompt is kept with the call, unless that is all', () => {
    const asked = (missing: readonly number[]) =>
      subagentSteps.judge(
        asking('Do steps/look.md'),
        facts({ delegated: [{ ...touch('look'), seen: seen(missing) }] }),
      )?.changes
    const delegated = { kind: 'steps.delegated', skill: 'flow', effort: 7, call: 'call', steps: ['look'] }
    expect(asked([3])).toEqual([
      delegated,
      { kind: 'lines.shown', effort: 7, to: 'call', step: 'look', seen: seen([3]) },
    ])
    expect(asked([])).toEqual([delegated])
    const free = { ...touch('look', skill({ effort: undefined })), seen: seen([3]) }
    expect(
      subagentSteps.judge(asking('Do steps/look.md'), facts({ delegated: [free] }))?.changes,
    ).toHaveLength(1)
  })

  test('by its own reads is kept with it, for the steps that it may have', () => {
    const shown = { kind: 'lines.shown', effort: 7, to: 'a', step: 'look' }
    const before = { seen: { look: seen([3, 4]) } }
    expect(reads(before, seen([1]))).toEqual([{ ...shown, seen: seen([1]) }])
    expect(reads(before, undefined)).toEqual([{ ...shown, seen: seen([]) }])
    expect(reads(before, seen([1]), 'think')).toBeUndefined()
    expect(reads({}, seen([1]))).toBeUndefined()
    expect(reads({ ...before, effort: undefined }, seen([1]))).toBeUndefined()
  })

  test('wakes the rule only while steps are given away', () => {
    const about = { event: { ...event('after'), subagent: { id: 'a' } }, invocations: [], seen: [] }
    const wakes = (path: readonly string[], hasDelegations?: boolean) =>
      subagentSteps.wakes(
        { ...about, reads: path, directives: [] },
        {
          session: facts().session,
          watch: {
            heartbeat: undefined,
            wantsEffort: false,
            ...(hasDelegations !== undefined && { hasDelegations }),
          },
        },
      )
    expect([wakes(['/a.md'], true), wakes(['/a.md']), wakes(['/a.md'], false), wakes([], true)]).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  test('decides whether its step counts', () => {
    const back = (missing: readonly number[], more: Parameters<typeof skill>[0] = {}) =>
      subagentSteps.judge(
        answered({ id: 'a', state: 'done' }),
        facts({
          spans: [span('a')],
          delegations: [{ ...given, seen: { look: seen(missing) }, skill: skill(more) }],
        }),
      )?.changes
    const ended = { kind: 'delegation.noted', skill: 'flow', call: 'call', agent: 'a', outcome: 'ok' }
    const part = { digest: '', total: 4, missing: [], bySubagent: 3 }
    const begun = back([2]) ?? []
    expect(begun).toMatchObject([{ step: 'look', seen: part }, ended])
    expect(back([])).toMatchObject([{ step: 'look', progress: reading(FLOW, ['look']) }, ended])
    const progress = begun[0]?.kind === 'step.visited' ? begun[0].progress : undefined
    expect(back([2], { progress, seen: { look: part } })).toEqual([ended])
    expect(back([], { progress, seen: { look: part } })).toMatchObject([
      { step: 'look', progress: reading(FLOW, ['look']), seen: { missing: [] } },
      ended,
    ])
  })
})
