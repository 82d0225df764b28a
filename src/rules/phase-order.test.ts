import { describe, expect, test } from 'vitest'
import { begin } from '../model/plan/advance.ts'
import { planOfPhases } from '../model/plan/phase-plan.ts'
import { effort, event, facts } from './case.contract.ts'
import type { Content } from './told/content.ts'
import { phaseEntered } from './phase-entered.ts'
import { phaseOrder } from './phase-order.ts'
import { phaseProof } from './phase-proof.ts'
import type { Facts } from './facts.ts'

const PLAN = planOfPhases([
  { label: '0', name: 'Setup', proof: ['mode'] },
  { label: '1', name: 'Plan' },
  { label: '2', name: 'Build' },
])

const moving = (label: string, more: Partial<NonNullable<Facts['move']>> = {}): Facts =>
  facts({
    move: {
      effort: effort({ current_phase: '0: Setup' }),
      plan: PLAN,
      progress: { ...begin(PLAN), current: ['0'], visits: { '0': { attempts: 1 } } },
      label,
      proof: {},
      stale: new Set(),
      approved: [],
      isProofKnown: true,
      ...more,
    },
  })

const reasons = (given: Facts) =>
  [phaseOrder, phaseProof].map((rule) => rule.judge(event('before'), given)?.block?.reason)

describe('a command that would enter a phase', () => {
  test('out of order is refused with the phase that comes next and its exact command', () => {
    expect(reasons(moving('2'))).toEqual([
      `Phase "2: Build" is out of order. The phase after "0: Setup" is "1: Plan". Replace ____ with what shows it. Next: run holdfast step go '1: Plan' --effort 7 --proof '{"mode":"____"}'`,
      undefined,
    ])
  })

  test('without proof is refused with what is missing', () => {
    expect(reasons(moving('1'))).toEqual([
      undefined,
      `Leaving phase "0: Setup" requires proof of: mode. Replace ____ with what shows it. Next: run holdfast step go '1: Plan' --effort 7 --proof '{"mode":"____"}'`,
    ])
  })

  test('that the skill does not declare is refused with those that it does', () => {
    expect(reasons(moving('9'))[0]).toContain('Its phases: 0: Setup, 1: Plan, 2: Build.')
  })

  test.each<readonly [string, Facts]>([
    ['is in order and proved', moving('1', { proof: { mode: false } })],
    ['is in order and brings a proof that nobody can see yet', moving('1', { isProofKnown: false })],
    ['is the phase that the effort is in', moving('0')],
    ['the user has allowed', moving('2', { approved: ['2: Build'] })],
    ['the user has allowed without proof', moving('1', { approved: ['1: Plan'] })],
    ['no plan speaks of', moving('8', { plan: undefined })],
    ['is none', facts()],
  ])('goes on where it %s', (_, given) => {
    expect(reasons(given)).toEqual([undefined, undefined])
  })

  test('is refused out of order even where its proof cannot be seen', () => {
    expect(reasons(moving('2', { isProofKnown: false }))[0]).toContain('out of order')
  })
})

describe('a phase that was entered', () => {
  const told = (declared: Record<string, unknown>, contents: readonly Content[] = []) =>
    phaseEntered.judge(
      event('after'),
      facts({
        entered: {
          effort: effort(),
          phase: '1: Plan',
          declared: { label: '1', name: 'Plan', ...declared },
          contents,
        },
      }),
    )

  test('is told with its commands, templates and standards', () => {
    const declared = {
      steps: ['§CMD_LOOK', 7],
      commands: ['§CMD_LOG'],
      templates: { plan: 'assets/PLAN.md', other: {} },
      standards: ['TESTING.md'],
      proof: ['planned'],
    }
    expect(told(declared)?.contexts).toEqual([
      [
        'Effort 7 is now in phase "1: Plan".',
        'Steps, in this order: §CMD_LOOK.',
        'Commands: §CMD_LOG.',
        'Templates: plan (assets/PLAN.md), other.',
        'Standards: TESTING.md.',
        'Proof required to leave it: planned.',
      ].join('\n'),
    ])
  })

  test('comes with the texts that it names, indented, or with the path of a long one', () => {
    const contents = [
      { name: '§CMD_LOG', path: '/d/CMD_LOG.md', text: 'Append.\nTracking effort 9.\n' },
      { name: 'PLAN.md', path: '/d/PLAN.md', text: undefined },
    ]
    const [text] = told({ commands: ['§CMD_LOG'] }, contents)?.contexts ?? []
    expect(text).toContain('\n\n§CMD_LOG, from /d/CMD_LOG.md:\n  Append.\n  Tracking effort 9.\n\n')
    expect(text).toContain('PLAN.md is too long to show here.\nRead it: /d/PLAN.md')
  })

  test('that declares nothing is not spoken of', () => {
    expect(told({ commands: [], templates: 'none', standards: null })).toBeUndefined()
  })

  test('that its skill does not declare is not spoken of', () => {
    const entered = { effort: effort(), phase: '1.1: More', declared: undefined, contents: [] }
    expect(phaseEntered.judge(event('after'), facts({ entered }))).toBeUndefined()
    expect(phaseEntered.judge(event('after'), facts())).toBeUndefined()
  })
})
