import { describe, expect, test } from 'vitest'
import type { StoredFrame } from '../model/chain/stored.ts'
import type { HookEvent } from '../model/event.ts'
import {
  called,
  effort,
  event,
  facts,
  FLOW,
  reading,
  SESSION,
  skill,
  span,
  subject,
} from './case.contract.ts'
import { continuationNext } from './continuation-next.ts'
import type { ChainFacts, Facts } from './facts.ts'
import { skillInvoked } from './skill-invoked.ts'

const frame = (id: number, name: string, more: Partial<StoredFrame> = {}): StoredFrame => ({
  id,
  chain_id: 1,
  project_id: 1,
  task_id: '/p/task',
  session_id: 'native',
  effort_id: null,
  position: id,
  skill: name,
  args: '',
  context: '',
  status: 'waiting',
  on_error: null,
  call: null,
  level: 'wrapped',
  reason: null,
  parent: null,
  asked_at: null,
  result: null,
  created_at: '',
  started_at: null,
  ended_at: null,
  ...more,
})
const chain = (more: Partial<ChainFacts> = {}): ChainFacts => ({
  frames: [frame(1, 'flow', { status: 'running', effort_id: 7 }), frame(2, 'next', { args: 'it' })],
  running: new Map(),
  isNextKnown: true,
  exits: [],
  isNextQuick: false,
  isAsked: false,
  ...more,
})
const open = new Map([[1, { ...skill(), effort: effort() }]])
const done = new Map([
  [1, { ...skill({ progress: reading(FLOW, ['look', 'think', 'do']) }), effort: effort() }],
])
const other = skill({ name: 'next', effort: undefined })

const stop = (more: object = {}): HookEvent => ({
  client: 'claude-code',
  kind: 'turn.stopped',
  again: false,
  running: 0,
  ...more,
})
const byAgent = event('before', {
  tool: { name: 'Skill', does: { kind: 'skill', name: 'next', args: '' }, input: null },
})
const judge = (of: HookEvent, more: Partial<Facts> = {}) =>
  continuationNext.judge(of, facts({ chain: chain(), ...more }))
const moves = (of: HookEvent, more: Partial<Facts> = {}) =>
  judge(of, more)?.changes?.map((one) => (one.kind === 'chain.moved' ? one.move : one.kind))

describe('the end of a turn', () => {
  test('is refused once with the next call', () => {
    const verdict = judge(stop())
    expect(verdict?.block?.reason).toBe(
      '/flow is done. Chain 1 goes on: call the Skill tool with skill "next" and args "it". If you need an answer of the user first, ask and stop again.',
    )
    expect(moves(stop())).toEqual([{ kind: 'ask', frame: 2 }])
  })

  test.each<[string, HookEvent, Partial<Facts>]>([
    ['that was refused for it', stop(), { chain: chain({ isAsked: true }) }],
    ['in plan mode', stop({ permissionMode: 'plan' }), {}],
    ['while something runs', stop({ running: 1 }), {}],
    ['at observe', stop(), { level: 'observe' }],
    ['while the skill owes steps', stop(), { chain: chain({ running: open }) }],
    ['without a chain', stop(), { chain: undefined }],
    ['of a sub-agent', stop(), { session: { ...SESSION, scope_of: 'native' } }],
  ])('%s passes', (_, of, more) => {
    expect(judge(of, more)).toBeUndefined()
  })

  test('of the last skill without a plan ends the chain', () => {
    const frames = [frame(1, 'flow', { status: 'running' })]
    expect(moves(stop(), { chain: chain({ frames }) })).toEqual([{ kind: 'end', frame: 1 }])
  })

  test('of the last skill without a plan is refused if an exit of it follows', () => {
    const frames = [frame(1, 'flow', { status: 'running' })]
    const exits = [{ skill: 'fix', args: 'all', context: '', on_error: null, level: 'wrapped' as const }]
    const verdict = judge(stop(), { chain: chain({ frames, exits }) })
    expect(verdict?.changes).toEqual([
      { kind: 'chain.moved', chain: 1, move: { kind: 'end', frame: 1, asks: true } },
    ])
    expect(verdict?.block?.reason).toMatch(
      /^\/flow is done\. Chain 1 goes on: call .* skill "fix" and args "all"/,
    )
  })

  test('parks a chain whose next skill is gone', () => {
    expect(moves(stop(), { chain: chain({ isNextKnown: false }) })).toEqual([
      { kind: 'end', frame: 1 },
      { kind: 'park', reason: 'no skill is called /next' },
    ])
  })
})

describe('a call of the next skill', () => {
  const invoked = [called(other)]

  test('is a tail call if nothing required is open', () => {
    for (const running of [new Map(), done])
      expect(moves(byAgent, { invoked, chain: chain({ running }) })).toEqual([
        { kind: 'call', frame: 2, how: 'tail', over: [1] },
      ])
    const spans = [span('s')]
    const verdict = skillInvoked.judge(byAgent, facts({ invoked, spans, chain: chain({ running: done }) }))
    expect(verdict?.changes).toMatchObject([
      { kind: 'effort.carried-out', effort: 7 },
      { kind: 'span.opened', skill: 'next', parent: undefined, effort: { kind: 'start', task: '/p/task' } },
    ])
  })

  test('is nested if something is', () => {
    const nested = { invoked, spans: [span('s')], chain: chain({ running: open }) }
    expect(moves(byAgent, nested)).toEqual([{ kind: 'call', frame: 2, how: 'nested', over: [] }])
    expect(skillInvoked.judge(byAgent, facts(nested))?.changes).toMatchObject([
      { kind: 'span.suspended', span: 's' },
      { kind: 'span.opened', skill: 'next', parent: 's' },
    ])
  })

  test('waits for a caller that already let one pass', () => {
    const frames = [
      frame(1, 'flow', { status: 'running', effort_id: 7 }),
      frame(2, 'between', { status: 'completed' }),
      frame(3, 'next'),
    ]
    const late = { invoked, chain: chain({ frames, running: open }) }
    expect(judge(byAgent, late)?.block?.reason).toMatch(
      /^Chain 1 runs \/next after \/flow, which is still open\. Next: /,
    )
    expect(skillInvoked.judge(byAgent, facts(late))).toBeUndefined()
  })
})

describe('a call of another skill', () => {
  test('by the user parks the chain, by the agent does not', () => {
    const invoked = [called(skill({ name: 'other', effort: undefined }))]
    expect(moves(event('prompt'), { invoked })).toEqual([{ kind: 'park', reason: 'the user called /other' }])
    expect(judge(byAgent, { invoked })).toBeUndefined()
  })

  test('that runs already changes nothing', () => {
    expect(judge(event('prompt'), { invoked: [called(skill())] })).toBeUndefined()
  })
})

test('wakes only for prompts that may ask for a chain, and for sessions that have one', () => {
  const wakes = (of: HookEvent, hasChain = false, invocations: readonly object[] = []) =>
    continuationNext.wakes(subject(of, { invocations: invocations as never }), {
      session: SESSION,
      watch: { heartbeat: undefined, wantsEffort: false, hasChain },
    })
  expect(wakes(event('prompt', { text: '/a x, /b' }))).toBe(true)
  expect(wakes(event('prompt', { text: 'Use the plan skill' }))).toBe(true)
  expect(wakes(event('prompt', { text: '/a x' }))).toBe(false)
  expect(wakes(event('prompt', { text: 'Fix it in src/a.ts' }))).toBe(false)
  expect(wakes(byAgent, false, [called(other)])).toBe(false)
  expect(wakes(byAgent, true, [called(other)])).toBe(true)
  expect(wakes(stop())).toBe(false)
  expect(wakes(stop(), true)).toBe(true)
})
