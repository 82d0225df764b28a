import { expect, test } from 'vitest'
import {
  type Demand,
  demandOf,
  type Evidence,
  isExpected,
  recordCommand,
  recordedIn,
  refutedBy,
  satisfies,
} from './evidence.ts'

const TESTS: Demand = { rank: 'proved', command: 'npm test', covers: ['src/**'] }
const record = (more: Partial<Evidence> = {}): Evidence => ({
  name: 'tests',
  rank: 'proved',
  command: 'npm test',
  covers: ['src/**'],
  stale: false,
  ...more,
})

test.each<[string, Partial<Evidence>, Demand, boolean]>([
  ['a proof for a proof', {}, TESTS, true],
  ['a claim for a proof', { rank: 'claimed' }, TESTS, false],
  ['an observation for a proof', { rank: 'observed' }, TESTS, false],
  ['an observation for an observation', { rank: 'observed' }, { ...TESTS, rank: 'observed' }, true],
  ['a proof for an observation', {}, { ...TESTS, rank: 'observed' }, true],
  ['a proof for a word', {}, { rank: 'claimed', covers: [] }, true],
  ['a word for a word', { rank: 'claimed', command: undefined }, { rank: 'claimed', covers: [] }, true],
  ['another command', { command: 'true' }, TESTS, false],
  ['other files', { covers: ['src/a.ts'] }, TESTS, false],
  ['fewer files', { covers: [] }, TESTS, false],
  ['a failure for a failure', { expect: 'fail' }, { ...TESTS, expect: 'fail' }, true],
  ['a success for a failure', {}, { ...TESTS, expect: 'fail' }, false],
  ['a failure for a success', { expect: 'fail' }, TESTS, false],
])('%s is enough: %o %o → %s', (_, more, demand, enough) => {
  expect(satisfies(record(more), demand)).toBe(enough)
})

test('what counts is fresh and good enough, and one that is beats others that are not', () => {
  const demands = { tests: TESTS }
  expect(recordedIn(demands, [])).toEqual({ good: new Set(), stale: new Set() })
  expect(recordedIn(demands, [record({ stale: true })])).toEqual({
    good: new Set(),
    stale: new Set(['tests']),
  })
  expect(recordedIn(demands, [record({ rank: 'claimed' })])).toEqual({ good: new Set(), stale: new Set() })
  expect(recordedIn(undefined, [record({ stale: true }), record({ rank: 'claimed' })])).toEqual({
    good: new Set(['tests']),
    stale: new Set(),
  })
})

test.each<[Demand, boolean, boolean]>([
  [TESTS, true, true],
  [TESTS, false, false],
  [{ ...TESTS, expect: 'fail' }, true, false],
  [{ ...TESTS, expect: 'fail' }, false, true],
])('a run for %o that exits with 0: %s is expected: %s', (demand, isZero, expected) => {
  expect(isExpected(demand, isZero)).toBe(expected)
  expect(refutedBy({ tests: demand }, 'npm test', isZero)).toEqual(expected ? [] : ['tests'])
  expect(refutedBy({ tests: demand }, 'make', isZero)).toEqual([])
})

test('a name that every object has is asked for only where the plan says so', () => {
  for (const name of ['constructor', '__proto__', 'toString']) {
    expect(demandOf({}, name).rank).toBe('claimed')
    expect(recordedIn({}, [record({ name, rank: 'claimed' })]).good.has(name)).toBe(true)
  }
})

test('the command that records a name can be pasted', () => {
  expect(recordCommand(3, 'my plan', demandOf(undefined, 'my plan'))).toBe(
    "holdfast artifact put 3 'my plan'",
  )
  expect(recordCommand(3, 'a;b', TESTS)).toBe("holdfast prove 'a;b' --effort 3")
})
