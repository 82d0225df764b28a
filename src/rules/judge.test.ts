import { describe, expect, test } from 'vitest'
import type { HookEvent } from '../model/event.ts'
import { during, event, facts, skill, span, subject, touch } from './case.contract.ts'
import { rules } from './index.ts'
import { judge, rulesAbout, woken } from './judge.ts'
import type { Facts } from './facts.ts'
import type { Rule, Verdict } from './rule.ts'

const rule = (name: string, verdict: Verdict | undefined | (() => never)): Rule => ({
  name,
  summary: name,
  on: ['tool.before'],
  wakes: () => true,
  needs: [],
  judge: () => (typeof verdict === 'function' ? verdict() : verdict),
})
const ask = (list: readonly Rule[], level: 'observe' | 'enforce' | 'strict' = 'enforce') =>
  judge(event('before'), facts({ level }), list)
const completed = (id: string) => ({ kind: 'span.completed', span: id }) as const
const block = { reason: 'no', skill: 'flow', step: 'do', effort: 7 }
const refused = { kind: 'refused', ...block, reason: 'Holdfast: no' }

describe('the rules together', () => {
  test('are asked about what is theirs and wakes them, in order', () => {
    const like = (name: string, more: Partial<Rule>): Rule => ({ ...rule(name, undefined), ...more })
    const list = [
      like('other', { on: ['session.ended'] }),
      like('asleep', { wakes: () => false }),
      like('awake', {}),
      like('hears', { hearsSubagents: true }),
      like('broken', {
        wakes: () => {
          throw new Error('broken')
        },
      }),
    ]
    const names = (of: HookEvent) => woken(list, subject(of), facts()).map(({ name }) => name)
    expect(names(event('before'))).toEqual(['awake', 'hears', 'broken'])
    expect(names({ ...event('before'), subagent: { id: 'a' } })).toEqual(['hears'])
  })

  test('allow what nobody speaks of', () => {
    expect(ask([rule('silent', undefined)])).toEqual({
      decision: { kind: 'allow', contexts: [] },
      changes: [],
      tellsStanding: false,
    })
  })

  test('add up what they say and change, in order', () => {
    const found = ask([
      rule('a', { contexts: ['1'], changes: [completed('a')], notice: 'x', tellsStanding: true }),
      rule('b', { contexts: ['2', '3'], changes: [completed('b')], notice: 'y' }),
    ])
    expect(found).toEqual({
      decision: { kind: 'allow', contexts: ['1', '2', '3'], notice: 'x\ny' },
      changes: [completed('a'), completed('b')],
      tellsStanding: true,
    })
  })

  test.each(['enforce', 'strict'] as const)(
    'end with the first refusal, keep what was changed, and record it: %s',
    (level) => {
      const found = ask(
        [
          rule('a', { changes: [completed('a')], contexts: ['1'] }),
          rule('gate', { block, notice: 'x' }),
          rule('c', { contexts: ['2'] }),
        ],
        level,
      )
      expect(found).toEqual({
        decision: {
          kind: 'block',
          reason: 'Holdfast: no',
          contexts: ['1'],
          notice: 'x\nRefused Read for flow: no',
        },
        changes: [completed('a'), { ...refused, rule: 'gate', observed: false }],
        tellsStanding: false,
      })
    },
  )

  test('only record what they would have refused where they observe, and say nothing', () => {
    const told = { kind: 'context.told', mark: 73, usage: 0.75 } as const
    const telling = { contexts: ['2'], notice: 'x', changes: [completed('a'), told], tellsStanding: true }
    const found = ask([rule('gate', { block }), rule('c', telling)], 'observe')
    expect(found.decision).toEqual({ kind: 'allow', contexts: [] })
    expect(found.tellsStanding).toBe(false)
    // What was not said does not count as said.
    expect(found.changes).toEqual([{ ...refused, rule: 'gate', observed: true }, completed('a')])
  })

  // INV_HOOK_NEVER_BREAKS_THE_AGENT
  test.each<[unknown, string]>([
    [new TypeError('broken'), 'broken'],
    ['a text', 'a text'],
    [undefined, 'undefined'],
  ])('go on without one that throws %s, and say so', (thrown, message) => {
    const bad = rule('bad', () => {
      throw thrown
    })
    expect(ask([bad, rule('good', { contexts: ['1'] })])).toMatchObject({
      decision: { kind: 'allow', contexts: ['1'] },
      changes: [{ kind: 'rule.failed', rule: 'bad', message }],
    })
  })
})

test('the list has a name, a sentence and an event for each', () => {
  expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length)
  expect(rules.filter(({ summary, on }) => summary === '' || on.length === 0)).toEqual([])
})

/** Asks the real rules about an event. */
const askAll = (of: HookEvent, known: Facts) => judge(of, known, rulesAbout(rules, of))

test('the real rules refuse a step that comes too early', () => {
  const early = facts({ spans: [span('a')], touched: [touch('do')] })
  expect(askAll(event('before'), early).decision.kind).toBe('block')
  expect(askAll(event('before'), { ...early, level: 'observe' })).toMatchObject({
    decision: { kind: 'allow' },
    changes: [{ kind: 'refused', rule: 'step-gate', observed: true }],
  })
})

test('a strict project guards a step that nobody was at work with, from the first read to the visit', () => {
  const fresh = skill({ effort: undefined })
  const strict = (id: string) => facts({ level: 'strict', touched: [touch(id, fresh)] })
  expect(askAll(event('before'), strict('think')).decision.kind).toBe('block')
  expect(askAll(event('before'), strict('look')).decision.kind).toBe('allow')
  const begun = during([{ id: 'c1', tool: 'Read', what: '', at: '' }])
  const after = event('after', {
    tool: { id: 'c1', name: 'Read', does: { kind: 'other' }, input: null, result: null, ended: true },
  })
  expect(askAll(after, { ...strict('look'), ...begun }).changes).toMatchObject([
    { kind: 'span.opened', step: 'look', effort: { kind: 'start' } },
    { kind: 'step.visited', step: 'look' },
  ])
})
