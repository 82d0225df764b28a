import { expect, test } from 'vitest'
import { event, facts, skill, span, touch } from './case.contract.ts'
import { readUnresolved } from './read-unresolved.ts'
import type { Facts } from './facts.ts'

const ask = (more: Partial<Facts>) => readUnresolved.judge(event('before'), facts(more))
const unsure = (why: 'variable' | 'program', steps: readonly string[] = []): Facts['unsure'] => ({
  why,
  command: 'cat $f',
  named: steps.map((step) => touch(step)),
  mentioned: [],
})

test.each<[string, Partial<Facts>]>([
  ['where everything is known', { spans: [span('a')] }],
  ['where no skill is in use', { unsure: unsure('variable', ['do']) }],
  ['of a program that names no step', { spans: [span('a')], unsure: unsure('program') }],
  [
    'of a program that names a step of another skill',
    { spans: [span('a', { skill: 'other' })], unsure: unsure('program', ['do']) },
  ],
  [
    'of a variable where the skill in use has no plan',
    { spans: [span('a', { effort_id: null })], unsure: unsure('variable') },
  ],
])('nothing is said %s', (_, more) => {
  expect(ask(more)).toBeUndefined()
})

test('a variable is recorded once for each skill that is carried out', () => {
  const spans = [span('a'), span('b', { status: 'suspended' }), span('c', { skill: 'other' })]
  expect(ask({ spans, unsure: unsure('variable') })).toEqual({
    changes: [
      { kind: 'read.unresolved', why: 'variable', command: 'cat $f', skill: 'flow', steps: [] },
      { kind: 'read.unresolved', why: 'variable', command: 'cat $f', skill: 'other', steps: [] },
    ],
  })
})

test('a program is recorded with the steps that it names, each once', () => {
  const named = { ...unsure('program', ['do', 'do', 'look']) } as NonNullable<Facts['unsure']>
  const withMain = { ...named, named: [...named.named, touch(undefined, skill())] }
  expect(ask({ spans: [span('a')], unsure: withMain })).toMatchObject({
    changes: [{ why: 'program', steps: ['do', 'look'] }],
  })
})
