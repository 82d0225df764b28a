import { progressIn } from '../../model/plan/phase-judge.ts'
import { describe, expect, test } from 'vitest'
import type { OpenEffort } from '../../model/effort.ts'
import { hasControl } from '../../model/text/line.ts'
import { planOf, step } from '../../model/plan/case.contract.ts'
import { effort, event, FLOW, open, reading, skill } from '../case.contract.ts'
import type { SkillFacts } from '../facts.ts'
import { recapLine, refusedLine } from './notice.ts'

describe('the line of a refusal', () => {
  test('says what was refused, for which skill and why, without the next action', () => {
    const reason = 'Step "do" needs "idea". Next: do step "look" (read /s).'
    expect(refusedLine(event('before'), { reason, skill: 'flow' })).toBe(
      'Refused Read for flow: Step "do" needs "idea".',
    )
  })

  test('names the event if no tool is refused, and no skill if none is concerned', () => {
    expect(refusedLine({ ...event('prompt'), name: 'Prompt' }, { reason: 'Not now.', skill: '' })).toBe(
      'Refused Prompt: Not now.',
    )
    expect(refusedLine({ ...event('prompt'), name: undefined }, { reason: 'Not now.', skill: '' })).toBe(
      'Refused prompt.submitted: Not now.',
    )
  })

  test('is one line of limited length, whatever the names are', () => {
    const line = refusedLine(event('before'), { reason: `a\u0007b ${'x'.repeat(999)}\nmore`, skill: 'f\nx' })
    expect(hasControl(line)).toBe(false)
    expect(line).not.toContain('more')
    expect(line.length).toBeLessThan(500)
  })
})

describe('the line of a recap', () => {
  const line = (more: Partial<SkillFacts>, about = effort()) =>
    recapLine({ ...skill(more), effort: about }, [])
  const phases = planOf([step('0', { title: 'Setup', next: { ok: ['1'] } }), step('1', { title: 'Make' })], {
    notation: 'phases',
    entry: ['0'],
  })

  test.each<[string, Partial<SkillFacts>]>([
    ['0 of 3 steps done, next: look', {}],
    ['0 of 3 steps done, started: look, next: think', { progress: reading(FLOW, ['look']) }],
    ['2 of 3 steps done, started: do', { progress: reading(FLOW, ['look', 'think', 'do']) }],
  ])('counts steps: %s', (where, more) => {
    expect(line(more)).toBe(`Gave the agent back effort 7 of flow: ${where}.`)
  })

  test('names a required step before an optional one', () => {
    const plan = planOf([step('maybe', { optional: true }), step('must')])
    expect(line({ plan })).toBe('Gave the agent back effort 7 of flow: 0 of 1 step done, next: must.')
    expect(line({ plan: planOf(plan.steps.slice(0, 1)) })).toContain('next: maybe.')
  })

  test('counts the steps of a pipeline', () => {
    const runs = { kind: 'prompt', prompt: 'do it' } as const
    const plan = planOf([step('a', { runs }), step('b', { runs })], { notation: 'workflow' })
    expect(line({ plan })).toBe('Gave the agent back effort 7 of flow: 0 of 2 steps done, next: a.')
  })

  test('names the phase and the next one', () => {
    expect(line({ plan: phases })).toContain(': no phase entered, next: 0: Setup.')
    const at = (label: string, current_phase: string) =>
      line({ plan: phases, progress: progressIn(phases, label) }, effort({ current_phase }))
    expect(at('0', '0: Setup')).toContain(': phase "0: Setup", next: 1: Make.')
    expect(at('1', '1: Make')).toMatch(/: phase "1: Make"\.$/)
  })

  test('names only the effort if there is no plan', () => {
    expect(line({ plan: undefined })).toBe('Gave the agent back effort 7 of flow.')
  })

  test('lists the topics if the session has no work, and is missing if nothing was told', () => {
    const sections = [
      { name: 'standing', lines: [] },
      { name: 'queue', lines: ['- 1'] },
      { name: 'waiting', lines: ['- 2', '- 3'] },
      { name: 'news', lines: ['-'] },
    ]
    expect(recapLine(undefined, sections)).toBe(
      'Told the agent about open queue items, unfinished efforts, news.',
    )
    expect(recapLine(undefined, sections.slice(0, 1))).toBeUndefined()
  })

  test('says how to resume each unfinished effort, up to three', () => {
    const told = (efforts: readonly OpenEffort[]) =>
      recapLine(undefined, [{ name: 'waiting', lines: ['-'] }], efforts)
    const login = open({ id: 2, skill: 'ship', request: 'a login\npage' })
    expect(told([login, open({ id: 3, holder: 'session 5' })])).toBe(
      'Told the agent about unfinished efforts. To resume: /ship --continue 2 (effort 2 of ship, "a login page").',
    )
    expect(told([1, 2, 3, 4].map((id) => open({ id })))).toMatch(
      /To resume: \/flow --continue 1 \(effort 1 of flow\), .* --continue 3 \(effort 3 of flow\), and more: holdfast effort find-active$/,
    )
  })
})
