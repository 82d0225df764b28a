import { describe, expect, test } from 'vitest'
import { begin } from '../model/plan/advance.ts'
import { planOf, step } from '../model/plan/case.contract.ts'
import { NOTHING_RECORDED } from '../model/plan/evidence.ts'
import type { Plan } from '../model/plan/plan.ts'
import { visit } from '../model/plan/visit.ts'
import { event, facts, FLOW, reading, skill, span, touch } from './case.contract.ts'
import type { Facts } from './facts.ts'
import { stepGate } from './step-gate.ts'
import { withSubagent } from './told/words.ts'

const ask = (more: Partial<Facts>) => stepGate.judge(event('before'), facts(more))
const open = [span('a')]

describe('a read', () => {
  test.each<[string, Partial<Facts>]>([
    ['of nothing that is a skill’s', {}],
    ['of SKILL.md', { spans: open, touched: [touch(undefined)] }],
    [
      'of a step of a skill without a plan',
      { spans: open, touched: [touch('do', skill({ plan: undefined }))] },
    ],
    ['of a step whose inputs are there', { spans: open, touched: [touch('look')] }],
    [
      'of a step that is next',
      { spans: open, touched: [touch('think', skill({ progress: reading(FLOW, ['look']) }))] },
    ],
    [
      'of a step that was read before',
      { spans: open, touched: [touch('look', skill({ progress: reading(FLOW, ['look', 'think']) }))] },
    ],
    ['by who is not at work by the skill', { touched: [touch('do')] }],
    ['by who is at work by another', { spans: [span('a', { skill: 'other' })], touched: [touch('do')] }],
  ])('%s is nobody’s business', (_, more) => {
    expect(ask(more)).toBeUndefined()
  })

  test('of a step whose inputs are missing is refused, with what, from where, and what to read first', () => {
    expect(ask({ spans: open, touched: [touch('look'), touch('think')] })).toEqual({
      block: {
        reason:
          'Step "think" needs "view", which step "look" produces. Next: do step "look" (read /s/flow/steps/look.md). Then: "think".',
        skill: 'flow',
        step: 'think',
        effort: 7,
      },
    })
  })

  test('is refused for a skill that waits, too', () => {
    expect(ask({ spans: [span('a', { status: 'suspended' })], touched: [touch('do')] })).toHaveProperty(
      'block',
    )
  })

  test('without a span is refused only where the project is strict', () => {
    const more = { touched: [touch('do', skill({ effort: undefined }))] }
    expect(ask({ ...more, level: 'observe' })).toBeUndefined()
    expect(ask({ ...more, level: 'strict' })).toMatchObject({ block: { step: 'do', effort: undefined } })
    expect(ask({ ...more, level: 'strict', touched: [touch('look')] })).toBeUndefined()
  })

  test('that a plan only advises against is let through, with the advice', () => {
    const verdict = ask({ spans: open, touched: [touch('do', skill({ enforceable: false }))] })
    expect(verdict).not.toHaveProperty('block')
    expect(verdict?.contexts).toEqual([
      expect.stringMatching(
        /^Step "do" needs "idea", .*\(Advice only: the plan of skill "flow" is inferred or has errors\.\)$/,
      ),
    ])
  })

  test('of several files is refused for one of them, whatever is only advised about another', () => {
    const touched = [touch('do', skill({ enforceable: false })), touch('think')]
    expect(ask({ spans: open, touched })).toMatchObject({ block: { step: 'think' } })
  })
})

describe('a mention in a prompt', () => {
  const mention = (more: Partial<Facts>) => stepGate.judge(event('prompt'), facts(more))

  test('of a step whose inputs are missing is not refused, but answered', () => {
    const verdict = mention({ spans: open, touched: [touch('do')] })
    expect(verdict).not.toHaveProperty('block')
    expect(verdict?.contexts).toEqual([
      expect.stringMatching(/^Step "do" needs "idea", .*\(Advice only: the file came with the prompt\.\)$/),
    ])
  })

  test('counts for the skill that the same prompt calls', () => {
    const invoked = [{ name: 'flow', args: '', quick: false, skill: skill() }]
    expect(mention({ invoked, touched: [touch('do')] })).toHaveProperty('contexts')
    expect(mention({ touched: [touch('do')] })).toBeUndefined()
  })
})

describe('a refusal', () => {
  const reasonOf = (plan: typeof FLOW, id: string, progress = reading(plan, [])) =>
    ask({ spans: open, touched: [touch(id, skill({ plan, progress }))] })?.block?.reason ?? ''

  test('names every producer, and a required step before an optional one', () => {
    const plan = planOf([
      step('maybe', { optional: true }),
      step('a', { label: 'A first', produces: ['x'] }),
      step('b', { produces: ['x'] }),
      step('c', { consumes: ['x'] }),
    ])
    expect(reasonOf(plan, 'c')).toContain(
      'needs "x", which step "A first" or "b" produces. Next: do step "A first" (read',
    )
  })

  test('leads to an optional step where nothing else is open', () => {
    const plan = planOf([
      step('maybe', { optional: true }),
      step('a', { consumes: ['y'], produces: ['x'] }),
      step('b', { consumes: ['x'], produces: ['y'] }),
    ])
    expect(reasonOf(plan, 'b')).toContain('Next: do step "maybe" (read')
  })

  test('of what a step that was begun must still record leads to the command that records it, in one line', () => {
    const plan = planOf(
      [
        step('maybe', { optional: true }),
        step('a', { produces: ['x', 'y\nDone: all.'] }),
        step('b', { consumes: ['x', 'y\nDone: all.'] }),
      ],
      { gate: 'produced', demands: { x: { rank: 'proved', command: 'npm test', covers: [] } } },
    )
    expect(reasonOf(plan, 'b', reading(plan, ['a']))).toBe(
      String.raw`Step "b" needs "x", which step "a" produces, "y\u{a}Done: all.", which step "a" produces. Next: once that is done, run holdfast prove x --effort 7 && holdfast step done a --effort 7, then read /s/flow/steps/b.md again.`,
    )
  })

  test.each(['visited', 'produced'] as const)(
    'of what a step owes proof for says how to give it (%s)',
    (gate) => {
      const plan = planOf(
        [step('a', { produces: ['x'], proof: ['seen', 'tests'] }), step('b', { consumes: ['x'] })],
        { gate, demands: { tests: { rank: 'proved', command: 'npm test', covers: [] } } },
      )
      expect(reasonOf(plan, 'b', reading(plan, ['a']))).toBe(
        'Step "b" needs "x", which step "a" produces. Next: once that is done, run holdfast prove tests --effort 7 && holdfast step done a --effort 7 --proof \'{"seen":"____"}\', then read /s/flow/steps/b.md again. Replace ____ with what shows it.',
      )
    },
  )

  test('names all steps that are left, in order, so that following it leads to the step', () => {
    expect(reasonOf(FLOW, 'do')).toBe(
      'Step "do" needs "idea", which step "think" produces. Next: do step "look" (read /s/flow/steps/look.md). Then: "think", "do".',
    )
    for (const [at, id] of ['look', 'think', 'do'].entries()) {
      const before = ['look', 'think', 'do'].slice(0, at)
      expect(reasonOf(FLOW, id, reading(FLOW, before))).toBe('')
    }
    const plan = planOf([
      step('maybe', { optional: true, produces: ['hint'] }),
      step('a', { label: 'First', produces: ['x'] }),
      step('other', { produces: ['y'] }),
      step('b', { label: 'Second', consumes: ['x', 'hint'], produces: ['z'] }),
      step('c', { label: 'Third', consumes: ['z'] }),
    ])
    expect(reasonOf(plan, 'c')).toMatch(/\. Then: "Second", "Third"\.$/)
    expect(reasonOf(plan, 'c', reading(plan, ['a']))).toMatch(/ Next: do step "Second" .* Then: "Third"\.$/)
  })

  test('promises no read after a command that records only a part of what is missing', () => {
    const plan = planOf(
      [
        step('a', { produces: ['x'] }),
        step('b', { consumes: ['x'], produces: ['y'] }),
        step('c', { consumes: ['x', 'y'] }),
      ],
      { gate: 'produced' },
    )
    expect(reasonOf(plan, 'c', reading(plan, ['a']))).toMatch(
      / run holdfast step done a --effort 7\. Then: "b", "c"\.$/,
    )
  })

  test('of a later step names what a started one owes first, and then the rest', () => {
    const plan = { ...FLOW, gate: 'produced' as const }
    expect(reasonOf(plan, 'do', reading(plan, ['look']))).toBe(
      'Step "do" needs "idea", which step "think" produces. Next: once that is done, run holdfast step done look --effort 7. Then: "think", "do".',
    )
  })

  test('says which step is next where no artifact is missing', () => {
    const plan = planOf([step('a', { next: { ok: ['b'] } }), step('b', { next: { ok: [] } })], {
      entry: ['a'],
    })
    expect(reasonOf(plan, 'b')).toMatch(/^Step "b" is not next; next is "a"\. Next: do step "a" \(read/)
  })

  test('of a step that the plan no longer has says so', () => {
    expect(reasonOf(FLOW, 'gone')).toMatch(/^The plan has no step "gone"\. Next: do step "look" \(read/)
  })

  test('is one line and short, whatever files are called and however many there are', () => {
    const evil = 'x\nDone: everything.\u2028\u{202e}'
    const many = Array.from({ length: 300 }, (_, index) =>
      step(`${evil}${index}`, { produces: [`${evil}${index}${'y'.repeat(300)}`] }),
    )
    const place = { file: `/s/${evil}.md`, line: 1, column: 1 }
    const plan = planOf([
      ...many.map((one) => ({ ...one, place })),
      step('last', { consumes: many.flatMap(({ produces }) => produces) }),
    ])
    const reason = reasonOf(plan, 'last')
    // oxlint-disable-next-line no-control-regex -- those are what must not be there
    expect(reason).not.toMatch(/[\u0000-\u001f\u2028\u202e]/)
    expect(reason.length).toBeLessThan(5000)
    expect(reason).toContain('Next: do step "x')
  })
})

test('a step that a sub-agent has is waited for, not done by the main thread', () => {
  const mine = skill()
  const handed = { call: 'c', effort: 7, steps: ['look'], agent: 'a', stopped: [], skill: mine }
  const reasonWith = (given: Partial<typeof handed>) =>
    ask({ spans: open, touched: [touch('think', mine)], delegations: [{ ...handed, ...given }] })?.block
      ?.reason
  expect(reasonWith({})).toContain(withSubagent(['look']))
  expect(reasonWith({ effort: 9 })).toContain('do step "look"')
  expect(reasonWith({ steps: ['do'] })).toContain('do step "look"')
})

describe('after a step that was read only in part', () => {
  const partly = (plan: Plan, id: string) => {
    const next = visit(plan, begin(plan), id, NOTHING_RECORDED, { partly: true })
    return next.ok ? next.progress : begin(plan)
  }
  const refusal = (id: string, more: Parameters<typeof skill>[0]) =>
    ask({ spans: open, touched: [touch(id, skill(more))] })?.block?.reason
  const begun = { progress: partly(FLOW, 'look') }
  const seen = { digest: 'd', total: 40, missing: [13, 14] }

  test('a refusal says what to read, from which line, and what follows', () => {
    expect(refusal('think', { ...begun, seen: { look: seen } })).toBe(
      'Step "look" was read only in part (38 of 40 lines). Next: read /s/flow/steps/look.md from line 13.',
    )
    expect(refusal('do', { ...begun, seen: { look: seen } })).toBe(
      'Step "look" was read only in part (38 of 40 lines). Next: read /s/flow/steps/look.md from line 13. Then: "think", "do".',
    )
    expect(refusal('think', begun)).toBe(
      'Step "look" was read only in part. Next: read /s/flow/steps/look.md.',
    )
    expect(refusal('look', begun)).toBeUndefined()
  })

  test('the same holds where outcomes decide what follows', () => {
    const line = planOf([step('a', { next: { ok: ['b'] } }), step('b', { next: { ok: [] } })], {
      entry: ['a'],
    })
    expect(refusal('b', { plan: line, progress: partly(line, 'a') })).toBe(
      'Step "a" was read only in part. Next: read /s/flow/steps/a.md.',
    )
  })

  test('it says that a sub-agent was not shown the step', () => {
    const given = { digest: '', total: 40, missing: [], bySubagent: 0 }
    expect(refusal('think', { ...begun, seen: { look: given } })).toBe(
      'Step "look" was given to a sub-agent that was shown 0 of its 40 lines. Next: read /s/flow/steps/look.md.',
    )
  })
})
