import { describe, expect, test } from 'vitest'
import type { Skill } from '../skill.ts'
import { planOf, step } from './case.contract.ts'
import { differenceOf, differenceText, judgedIn, losesAll } from './edit.ts'
import type { Plan, Step } from './plan.ts'

type Deciding = Parameters<typeof judgedIn>[0]

const skill = (steps: readonly Step[], plan: Partial<Plan> = {}, more: Partial<Deciding> = {}): Deciding => ({
  plan: planOf(steps, plan),
  phases: [],
  digest: 'd',
  details: { enforceable: true, required_todos: [] } as unknown as Skill['details'],
  file: '/s/flow/SKILL.md',
  ...more,
})
const BEFORE = skill([step('look'), step('do')])
const difference = (after: Deciding, before = BEFORE) => differenceOf(judgedIn(before), judgedIn(after))
const NONE = { added: [], removed: [], changed: [], parts: [] }

describe('a workflow that is printed', () => {
  const told = (actions: readonly string[], line = 1) =>
    step('look', { actions, place: { file: '/s/flow/workflow.ts', line, column: 1 } })
  const printed = (more: Partial<Plan>) => skill([told(['Look.'])], { format: 'xml', ...more })

  test('is another one if a step says something else, and the same if its lines move', () => {
    const before = printed({})
    const after = (one: Step) => difference(skill([one], { format: 'xml' }), before)
    expect(after(told(['Look around.']))).toEqual({ ...NONE, changed: ['look'] })
    expect(after(told(['Look.'], 9))).toEqual(NONE)
  })

  test('counts the workflows of its sub-agents and the texts that it names', () => {
    const below = (actions: readonly string[], line = 1): Partial<Plan> => ({
      workflows: { review: planOf([told(actions, line)], { format: 'xml', workflows: {} }) },
    })
    const before = printed(below(['Look.']))
    expect(difference(printed(below(['Look.'], 9)), before)).toEqual(NONE)
    expect(difference(printed(below(['Stare.'])), before).parts).toEqual(['the workflows of sub-agents'])
    const texts = { texts: { 'convention tone': 'Be kind.' } }
    expect(difference(printed(texts), printed({})).parts).toEqual(['the texts that it names'])
  })
})

test('a step that is inserted into a runbook changes no other step', () => {
  const runbook = { name: 'auth', folder: 'plans/auth' }
  const look = (after: string) => step('look', { next: { ok: [after] } })
  const rest = [step('do', { next: { ok: [] } })]
  const before = skill([look('do'), ...rest], { runbook })
  const list = step('list', { next: { ok: ['do'] } })
  expect(difference(skill([look('list'), list, ...rest], { runbook }), before)).toEqual({
    ...NONE,
    added: ['list'],
  })
})

describe('the plan is the same if only', () => {
  test.each([
    [
      'lines move',
      skill([step('look', { place: { file: '/s/flow/steps/look.md', line: 9, column: 2 } }), step('do')]),
    ],
    ['a title changes', skill([step('look', { title: 'Look around' }), step('do')])],
    ['instructions change', skill([step('look', { actions: ['Look.'], phase: 'First' }), step('do')])],
    [
      'its folder has another name',
      skill(
        ['look', 'do'].map((id) => step(id, { place: { file: `/t/steps/${id}.md`, line: 1, column: 1 } })),
        {},
        { file: '/t/SKILL.md' },
      ),
    ],
  ])('%s', (_, after) => {
    expect(difference(after)).toEqual(NONE)
  })
})

describe('an edit says', () => {
  test.each([
    ['adds tell', skill([step('look'), step('do'), step('tell')])],
    ['removes do', skill([step('look')])],
    ['changes do', skill([step('look'), step('do', { consumes: ['view'] })])],
    [
      'changes do',
      skill([step('look'), step('do', { place: { file: '/s/flow/steps/x.md', line: 1, column: 1 } })]),
    ],
    ['adds tell; removes look; changes do', skill([step('do', { limit: 2 }), step('tell')])],
    ['changes the order of the steps', skill([step('do'), step('look')])],
    ['changes the gate, the hold', skill([step('look'), step('do')], { gate: 'produced', hold: 'stop' })],
    [
      'changes whether it can refuse, the required todos',
      skill(
        [step('look'), step('do')],
        {},
        {
          details: { enforceable: false, required_todos: ['x'] } as unknown as Skill['details'],
        },
      ),
    ],
  ])('%s', (text, after) => {
    expect(differenceText(difference(after))).toBe(text)
  })

  test('all that goes with a plan that is gone', () => {
    const { removed, parts } = difference({ ...BEFORE, plan: null, details: null })
    expect([removed, parts]).toEqual([
      ['look', 'do'],
      ['the notation', 'whether it is explicit', 'the gate', 'the first steps', 'whether it can refuse'],
    ])
  })

  test('phases by label and name, and their titles count', () => {
    const phases = (name: string) => skill([step('1', { title: name })], { notation: 'phases' })
    expect(difference(phases('Ship'), phases('Build')).changed).toEqual(['1: Ship'])
  })

  test('an unknown part by its own name', () => {
    const after = skill([step('look'), step('do')], { fresh: true } as unknown as Partial<Plan>)
    expect(difference(after).parts).toEqual(['fresh'])
  })
})

test('progress is lost only if none of its steps exists any more', () => {
  const after = judgedIn(skill([step('look')]))
  expect([[], ['do'], ['do', 'look']].map((visited) => losesAll(after, visited))).toEqual([
    false,
    true,
    false,
  ])
})

test('steps of a skill without a file are named as they are', () => {
  expect(difference({ ...BEFORE, file: null }, { ...BEFORE, file: null })).toEqual(NONE)
})
