import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  compareLabels,
  isBranchSwitch,
  isPhaseLabel,
  labelsAfter,
  missingProof,
  type Phase,
  phasesNotEntered,
  splitPhase,
} from './phase.ts'
import { judgePhase as judgeWish, progressIn } from './phase-judge.ts'
import { planOfPhases } from './phase-plan.ts'

const IMPLEMENT = [
  { label: '0', name: 'Setup', proof: ['mode'] },
  { label: '1', name: 'Interrogation' },
  { label: '2', name: 'Planning' },
  { label: '3', name: 'Execution' },
  { label: '3.A', name: 'Build Loop', proof: ['testsPass', 'blocks'] },
  { label: '3.B', name: 'Agent Handoff' },
  { label: '3.C', name: 'Parallel Handoff' },
  { label: '4', name: 'Synthesis' },
  { label: '4.1', name: 'Checklists' },
  { label: '4.2', name: 'Debrief' },
]

/** The question as it is for a skill with these phases and an effort in this one. */
function judgePhase({
  phases,
  ...wish
}: {
  phases: readonly Phase[]
  current: string | null
  requested: string
  proof: Record<string, unknown>
}) {
  const plan = planOfPhases(phases)
  const progress = progressIn(plan, wish.current === null ? undefined : splitPhase(wish.current).label)
  return judgeWish({ ...wish, plan, progress })
}

const judge = (current: string | null, requested: string, proof: Record<string, unknown> = {}) =>
  judgePhase({ phases: IMPLEMENT, current, requested, proof })

describe('order', () => {
  test.each([
    [null, '0', 'enter'],
    [null, '1', 'refuse'],
    ['1: Interrogation', '2', 'enter'],
    ['1: Interrogation', '3', 'refuse'],
    ['1: Interrogation', '1', 'same'],
    ['1: Interrogation', '1: another name', 'same'],
    ['2: Planning', '3.B', 'refuse'],
    ['3: Execution', '3.A', 'enter'],
    ['3: Execution', '3.B', 'enter'],
    ['3: Execution', '3.C', 'enter'],
    ['3.B: Agent Handoff', '3.C', 'refuse'],
    ['3.B: Agent Handoff', '3.A', 'refuse'],
    ['3.B: Agent Handoff', '4', 'enter'],
    ['3: Execution', '4', 'refuse'],
    ['3: Execution', '2', 'refuse'],
    ['4: Synthesis', '4.1', 'enter'],
    ['4: Synthesis', '4.2', 'refuse'],
    ['4.1: Checklists', '4.2', 'enter'],
    ['4.1: Checklists', '5', 'unknown'],
    ['2: Planning', '2.1', 'enter'],
    ['2: Planning', '2.A', 'unknown'],
    ['2: Planning', '3.1', 'unknown'],
    ['4.2: Debrief', '4.1.1', 'unknown'],
    ['4: Synthesis', '4.3', 'unknown'],
    ['4.2: Debrief', '4.3', 'enter'],
    ['3.A: Build Loop', '3.D', 'unknown'],
    ['1: Interrogation', '1a', 'unknown'],
  ])('from %s to %s is: %s', (current, requested, kind) => {
    expect(judge(current, requested).kind).toBe(kind)
  })

  test('letters may be entered directly where their main phase is not declared', () => {
    const phases = [
      { label: '1', name: '' },
      { label: '2.A', name: '' },
      { label: '2.B', name: '' },
    ]
    expect(judgePhase({ phases, current: '1', requested: '2.B', proof: {} }).kind).toBe('enter')
  })

  test('a skill without phases lets an effort name its own', () => {
    expect(judgePhase({ phases: [], current: null, requested: 'warm up', proof: {} })).toEqual({
      kind: 'enter',
      phase: 'warm up',
    })
  })

  test.each(['', ':', ' : x'])('%j has no label, so it is no phase', (requested) => {
    expect(judge(null, requested).kind).toBe('unknown')
    expect(judgePhase({ phases: [], current: null, requested, proof: {} }).kind).toBe('unknown')
  })

  test('the declared name is kept when only the label is given', () => {
    expect(judge('1: Interrogation', '2')).toEqual({ kind: 'enter', phase: '2: Planning' })
  })

  test('a refusal names what would be allowed', () => {
    expect(judge('3: Execution', '1')).toMatchObject({
      message: expect.stringContaining(
        'The phase after "3: Execution" is "3.A: Build Loop" or "3.B: Agent Handoff" or "3.C: Parallel Handoff".',
      ),
    })
  })

  test('the end says to finish', () => {
    expect(judge('4.2: Debrief', '1')).toMatchObject({
      message: expect.stringContaining('finish the effort'),
    })
  })
})

describe('proof', () => {
  test('is asked for the phase that is left', () => {
    expect(judge('0: Setup', '1')).toMatchObject({ kind: 'refuse', missing: ['mode'] })
    expect(judge('0: Setup', '1', { mode: 'tdd' }).kind).toBe('enter')
  })

  test.each([[[0]], [{ a: false }], ['.'], ['\u200Bx'], [['', 'x']]])('%j is an answer', (value) => {
    expect(missingProof(['a'], { a: value })).toEqual([])
  })

  test('false and 0 are answers', () => {
    expect(judge('3.A: Build Loop', '4', { testsPass: false, blocks: 0 }).kind).toBe('enter')
  })

  test.each([
    [undefined],
    [null],
    [''],
    ['  '],
    ['________'],
    ['\u200B'],
    ['\u2060 \uFEFF_\u00AD'],
    ['\u3164'],
    ['\u2800'],
    [[]],
    [{}],
    [['', null, '\u200B']],
    [{ a: { b: [] } }],
  ])('%j is not an answer', (value) => {
    expect(missingProof(['a'], { a: value })).toEqual(['a'])
  })

  test('a field of the prototype is not an answer', () => {
    expect(missingProof(['toString'], {})).toEqual(['toString'])
  })
})

test.each([
  ['1', '2'],
  ['2', '10'],
  ['3', '3.A'],
  ['3.A', '3.B'],
  ['3.B', '4'],
  ['3.1', '3.A'],
  ['3.1', '3.1A'],
  ['3.1A', '3.2'],
])('%s comes before %s', (a, b) => {
  expect(compareLabels(a, b)).toBeLessThan(0)
  expect(compareLabels(b, a)).toBeGreaterThan(0)
  expect(compareLabels(a, a)).toBe(0)
})

test.each([
  ['3', true],
  ['3.A', true],
  ['3.1A', true],
  ['3.AB.2', true],
  ['1a', false],
  ['3.1AB', false],
  ['3.1a', false],
  ['A', false],
  ['', false],
])('%j as a label: %s', (label, expected) => expect(isPhaseLabel(label)).toBe(expected))

test('a phase that was entered as often as its limit allows is refused for that, not for its order', () => {
  const plan = planOfPhases([
    { label: '1', name: 'Try', limit: 1 },
    { label: '2', name: 'Look', next: { again: '1' } },
  ])
  const progress = progressIn(plan, '2', { '1': { attempts: 1, outcome: 'ok' }, '2': { attempts: 1 } })
  expect(judgeWish({ plan, progress, current: '2: Look', requested: '1', proof: {} })).toMatchObject({
    kind: 'refuse',
    message: 'Phase "1: Try" has reached its limit of 1.',
  })
})

test('what may follow is found in one pass, and is what may be entered', () => {
  const part = fc.constantFrom('.1', '.2', '.A', '.B', '.1A')
  const label = fc
    .tuple(fc.nat({ max: 3 }), fc.array(part, { maxLength: 2 }))
    .map(([major, parts]) => `${major}${parts.join('')}`)
  fc.assert(
    fc.property(fc.uniqueArray(label, { minLength: 1, maxLength: 9, comparator }), label, (labels, other) => {
      // One place has one spelling: where 0.1A is declared, nobody is in 0.1.A.
      fc.pre(labels.every((one) => one === other || compareLabels(one, other) !== 0))
      const phases = labels.map((one) => ({ label: one, name: '' }))
      for (const current of [null, other, ...labels]) {
        const enterable = labels
          .toSorted(compareLabels)
          .filter((to) => judgePhase({ phases, current, requested: to, proof: {} }).kind === 'enter')
        expect(labelsAfter(phases, current ?? undefined)).toEqual(enterable)
        const sorted = phases.toSorted((a, b) => compareLabels(a.label, b.label))
        expect(enterable).toEqual(
          sorted.map((phase) => phase.label).filter((to) => follows(sorted, current ?? undefined, to)),
        )
      }
    }),
    { numRuns: Number(process.env['HOLDFAST_RUNS'] ?? 300) },
  )
})

/** What may follow what, asked for each pair: slower than the plan, and nothing of it. */
function follows(phases: readonly Phase[], from: string | undefined, to: string): boolean {
  if (from !== undefined && (compareLabels(from, to) >= 0 || isBranchSwitch(from, to))) return false
  return phases
    .filter(({ label }) => from === undefined || compareLabels(label, from) > 0)
    .filter(({ label }) => compareLabels(label, to) < 0)
    .every(({ label }) => isPassedBy(label, from, to))
}

/** Only the alternatives to one end of the way need not be entered. */
const isPassedBy = (label: string, from: string | undefined, to: string): boolean =>
  isBranchSwitch(label, to) || (from !== undefined && isBranchSwitch(from, label))

/** 1.A and 1A are one label in two spellings. */
const comparator = (a: string, b: string) => compareLabels(a, b) === 0

test('a name may hold colons', () => {
  expect(splitPhase('2: Plan: again')).toEqual({ label: '2', name: 'Plan: again' })
})

describe('what was never entered', () => {
  const missed = (...history: string[]) => phasesNotEntered(IMPLEMENT, history)
  const END = ['4: Synthesis', '4.1: Checklists', '4.2: Debrief']
  const HANDS = '3.A: Build Loop or 3.B: Agent Handoff or 3.C: Parallel Handoff'

  test('leaves out the alternatives that were not taken', () => {
    expect(missed('0', '1', '2', '3', '3.B: Agent Handoff')).toEqual(END)
  })

  test('names what was skipped before as well as what would come', () => {
    expect(missed('0: Setup', '3: Execution', '3.A: Build Loop')).toEqual([
      '1: Interrogation',
      '2: Planning',
      ...END,
    ])
  })

  test('names alternatives once when none was taken', () => {
    expect(missed('0', '1', '2', '3', '4', '4.1', '4.2')).toEqual([HANDS])
    expect(missed()).toEqual(['0: Setup', '1: Interrogation', '2: Planning', '3: Execution', HANDS, ...END])
  })

  test('goes by labels, and nothing is owed to a skill without phases', () => {
    expect(missed('0', '1: as it was called', '2', '3', '3.C', '4', '4.1', '4.2', '4.3: more')).toEqual([])
    expect(phasesNotEntered([], ['warm up'])).toEqual([])
  })

  test('looks into the alternative that was taken, and into no other', () => {
    const labels = ['1', '1.A', '1.A.1', '1.A.2', '1.B', '1.B.1', '1.B.2A', '1.B.2B', '2']
    const phases = labels.map((label) => ({ label, name: '' }))
    expect(phasesNotEntered(phases, ['1', '1.A', '1.A.1', '2'])).toEqual(['1.A.2'])
    expect(phasesNotEntered(phases, ['1', '1.B', '2'])).toEqual(['1.B.1', '1.B.2A or 1.B.2B'])
    expect(phasesNotEntered(phases, ['1', '1.B.2A', '2'])).toEqual(['1.B', '1.B.1'])
    expect(phasesNotEntered(phases, ['1', '2'])).toEqual(['1.A or 1.B'])
  })
})
