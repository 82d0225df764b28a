import { describe, expect, test } from 'vitest'
import { advance, begin, type Move, type Progress } from './advance.ts'
import { planOf, step } from './case.contract.ts'
import type { Plan, Step } from './plan.ts'
import { inSequence } from './sequence.ts'
import { holdsFiles, opensLater } from './writes.ts'

const steps = inSequence([
  step('red'),
  step('green', { writes: ['src/**', '*.json'] }),
  step('refactor', { writes: ['src/**'] }),
  step('check', { next: { again: ['red'] } }),
])
const TDD: Plan = { ...planOf(steps), entry: ['red'] }

const enter = (id: string): Move => ({ kind: 'enter', step: id })
const leave = (id: string, outcome = 'ok'): Move => ({ kind: 'leave', step: id, outcome })

const after = (plan: Plan, moves: readonly Move[]): Progress =>
  moves.reduce((progress, move) => {
    const next = advance(plan, progress, move)
    if (!next.ok) throw new Error(next.why)
    return next.progress
  }, begin(plan))

const ROUND = ['red', 'green', 'refactor'].flatMap((id) => [enter(id), leave(id)])

describe('a file that a plan names', () => {
  test.each<readonly [string, readonly Move[], string | undefined]>([
    ['at the beginning', [], 'green'],
    ['in an earlier step', [enter('red')], 'green'],
    ['before its step is entered', [enter('red'), leave('red')], 'green'],
    ['in its step', [enter('red'), leave('red'), enter('green')], undefined],
    [
      'between its step and the next',
      [enter('red'), leave('red'), enter('green'), leave('green')],
      undefined,
    ],
    ['in a later step', [...ROUND, enter('check')], undefined],
    ['once a loop leads back', [...ROUND, enter('check'), leave('check', 'again')], 'green'],
    [
      'in an earlier step of another round',
      [...ROUND, enter('check'), leave('check', 'again'), enter('red')],
      'green',
    ],
    ['at the end', [...ROUND, enter('check'), leave('check')], undefined],
  ])('%s', (_, moves, opens) => {
    const progress = after(TDD, moves)
    expect(opensLater(TDD, progress, 'src/app.ts')?.id).toBe(opens)
    expect(holdsFiles(TDD, progress)).toBe(opens !== undefined)
  })

  test.each([
    ['src/a/b.ts', true],
    ['src', true],
    ['package.json', true],
    ['lib/package.json', false],
    ['test/app.ts', false],
    ['', false],
    ['src/node_modules/x.js', false],
  ])('%s is held back: %s', (name, isHeld) => {
    expect(opensLater(TDD, begin(TDD), name) !== undefined).toBe(isHeld)
  })

  test('is free if it is an exception of every step that names it', () => {
    const plan: Plan = {
      ...planOf(
        inSequence([
          step('red'),
          step('green', { writes: ['src/**', '!**/*.test.ts'] }),
          step('release', { writes: ['src/**', '!**/*.md'] }),
        ]),
      ),
      entry: ['red'],
    }
    const at = (moves: readonly Move[], name: string) => opensLater(plan, after(plan, moves), name)?.id
    expect(at([], 'src/a.ts')).toBe('green')
    expect(at([], 'src/a.test.ts')).toBe('release')
    expect(at([], 'test/a.md')).toBeUndefined()
    const green = [enter('red'), leave('red'), enter('green')]
    expect(at(green, 'src/a.ts')).toBeUndefined()
    expect(at(green, 'src/a.test.ts')).toBe('release')
    expect(holdsFiles(plan, after(plan, green))).toBe(true)
    expect(holdsFiles(plan, after(plan, [...green, leave('green'), enter('release')]))).toBe(false)
  })

  test('stays held back while a plan in sequence is parked', () => {
    const parked: Progress = { status: 'parked', current: [], open: [], visits: {} }
    expect(opensLater(TDD, parked, 'src/a.ts')?.id).toBe('green')
  })

  test('is free if a faulty step names it too', () => {
    const plan = { ...TDD, faulty: ['refactor'] }
    expect(opensLater(plan, begin(plan), 'src/a.ts')).toBeUndefined()
    expect(opensLater(plan, begin(plan), 'package.json')?.id).toBe('green')
    expect(holdsFiles(plan, begin(plan))).toBe(true)
    expect(holdsFiles({ ...TDD, faulty: ['green'] }, begin(TDD))).toBe(false)
  })

  test('stays held back in a step that is only listed later, such as the one to ask the user', () => {
    const plan: Plan = {
      ...planOf(
        inSequence([
          step('find', { limit: 1, onLimit: 'ask' }),
          step('confirm', { next: { ok: ['fix'], again: ['find'] } }),
          step('fix', { writes: ['src/**'], next: { ok: [], again: ['find'] } }),
          step('ask', { next: { ok: [] } }),
        ]),
      ),
      entry: ['find'],
    }
    const at = (...moves: readonly Move[]) => opensLater(plan, after(plan, moves), 'src/a.ts')?.id
    const found = [enter('find'), leave('find'), enter('confirm')]
    expect(at(...found, leave('confirm'), enter('fix'))).toBeUndefined()
    expect(at(...found, leave('confirm', 'again'))).toBe('fix')
    expect(at(...found, leave('confirm', 'again'), enter('ask'))).toBe('fix')
  })

  test('opens with the alternative that names it, not with its sibling', () => {
    const alternative = (label: string, more: Partial<Step>) => step(label, { next: { ok: ['3'] }, ...more })
    const naming = (both: boolean): Plan => ({
      ...planOf([
        step('1', { next: { ok: ['2.A', '2.B'] } }),
        alternative('2.A', { writes: ['src/**'] }),
        alternative('2.B', both ? { writes: ['src/**'] } : {}),
        step('3', { next: { ok: [] } }),
      ]),
      entry: ['1'],
    })
    const at = (plan: Plan, ...moves: readonly Move[]) =>
      opensLater(plan, after(plan, [enter('1'), leave('1'), ...moves]), 'src/a.ts')?.id
    expect(at(naming(false), enter('2.A'))).toBeUndefined()
    expect(at(naming(false), enter('2.B'))).toBe('2.A')
    expect(at(naming(true), enter('2.B'))).toBeUndefined()
    expect(at(naming(false), enter('2.B'), leave('2.B'), enter('3'))).toBeUndefined()
  })

  test('stays held back in a step of a plan of artifacts that does not need its own step', () => {
    const plan = planOf([
      step('do', { consumes: ['user-request'], produces: ['result'], writes: ['src/**'] }),
      step('aside', { consumes: ['user-request'] }),
    ])
    expect(opensLater(plan, after(plan, [enter('aside')]), 'src/a.ts')?.id).toBe('do')
    expect(opensLater(plan, after(plan, [enter('do')]), 'src/a.ts')).toBeUndefined()
  })

  test('opens in a plan of artifacts with its step, and stays open while others are read', () => {
    const plan = planOf([
      step('look', { produces: ['view'] }),
      step('aside', { produces: ['note'] }),
      step('do', { consumes: ['view'], produces: ['result'], writes: ['src/**'] }),
      step('end', { consumes: ['result', 'note'] }),
    ])
    const at = (...moves: readonly Move[]) => opensLater(plan, after(plan, moves), 'src/a.ts')?.id
    expect(at(enter('look'))).toBe('do')
    expect(at(enter('look'), leave('look'))).toBe('do')
    expect(at(enter('look'), leave('look'), enter('do'))).toBeUndefined()
    expect(at(enter('look'), leave('look'), enter('do'), leave('do'), enter('aside'))).toBeUndefined()
  })
})
