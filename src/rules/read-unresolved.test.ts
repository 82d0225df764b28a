import { describe, expect, test } from 'vitest'
import { event, facts, skill, span, touch } from './case.contract.ts'
import { readUnresolved } from './read-unresolved.ts'
import { namesStep } from './told/words.ts'
import type { UnsureWhy } from '../model/subject.ts'
import type { Facts } from './facts.ts'

const ask = (more: Partial<Facts>) => readUnresolved.judge(event('before'), facts(more))
const unsure = (why: UnsureWhy, steps: readonly string[] = []): Facts['unsure'] => ({
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

test('a limit is recorded like a variable, and a copy with the steps that it takes along', () => {
  expect(ask({ spans: [span('a')], unsure: unsure('limit') })).toMatchObject({ changes: [{ why: 'limit' }] })
  const copy = { ...unsure('copy'), mentioned: [touch('do')] } as Facts['unsure']
  expect(ask({ spans: [span('a')], unsure: copy })).toMatchObject({
    changes: [{ why: 'copy', steps: ['do'] }],
  })
})

describe('a strict project', () => {
  const strict = { level: 'strict', spans: [span('a')] } as const

  test.each(['program', 'limit'] as const)('refuses a command that names a step early: %s', (why) => {
    expect(ask({ ...strict, unsure: unsure(why, ['look', 'do']) })?.block).toMatchObject({
      skill: 'flow',
      step: 'do',
      reason: expect.stringContaining(namesStep(why)),
    })
  })

  test('records a step that is due, one that is only mentioned, and a plan that cannot refuse', () => {
    expect(ask({ ...strict, unsure: unsure('program', ['look']) })?.block).toBeUndefined()
    const mentioned = { ...unsure('copy'), mentioned: [touch('do')] } as Facts['unsure']
    expect(ask({ ...strict, unsure: mentioned })?.changes).toHaveLength(1)
    const weak = {
      ...unsure('program'),
      named: [touch('do', skill({ enforceable: false }))],
    } as Facts['unsure']
    expect(ask({ ...strict, unsure: weak })?.changes).toHaveLength(1)
  })

  test('refuses a file behind the folder of a process while a skill is carried out, and else nowhere', () => {
    const early = unsure('process')
    expect(ask({ ...strict, unsure: early })?.block).toMatchObject({
      skill: 'flow',
      reason: expect.stringContaining('read the file by its own path'),
    })
    expect(ask({ ...strict, unsure: early, spans: [] })).toBeUndefined()
    expect(ask({ ...strict, unsure: early, spans: [span('a', { effort_id: null })] })).toBeUndefined()
    expect(ask({ spans: [span('a')], unsure: early })?.changes).toMatchObject([{ why: 'process' }])
  })

  test('holds its sub-agents too, and no other project does', () => {
    const early = { unsure: unsure('program', ['do']), given: { skills: [], steps: [] } }
    const by = { ...event('before'), subagent: { id: 'a1' } }
    expect(readUnresolved.judge(by, facts({ ...strict, ...early }))?.block?.step).toBe('do')
    expect(readUnresolved.judge(by, facts({ spans: [span('a')], ...early }))).toBeUndefined()
  })
})
