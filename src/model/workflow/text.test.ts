import { describe, expect, test } from 'vitest'
import { gateOf, HOSTILE, viewOf } from './case.contract.ts'
import { completeInText, STAYS, toPrintAgain } from './guidance.ts'
import { plainLines } from './plain.ts'
import { printStep } from './print.ts'
import { invokeCommand, invokeElement, textOutput, textStepHeader } from './text.ts'
import { element, writtenAsXml } from './xml.ts'

const header = { step: 6, total: 7, title: 'Frame it' }
const way = (outcome: string, command: string, to: string | null) => ({ outcome, command, to })

test('the element of the first command has its folder only if there is one', () => {
  expect(writtenAsXml([invokeElement('holdfast step "x"', '/a & b')])).toBe(
    '<invoke working-dir="/a &amp; b" cmd="holdfast step &quot;x&quot;" />',
  )
  expect(writtenAsXml([invokeElement('holdfast step x')])).toBe('<invoke cmd="holdfast step x" />')
})

test('a command has its flags in words, and each value is one word of the shell', () => {
  expect(invokeCommand({ skill: 'planner', step: 2, total: 13 })).toBe(
    'holdfast step planner --step 2 --total-steps 13',
  )
  const flags = { qrIteration: 2, qrFail: true, quick: false, thoughts: `it's $(rm) "x"` }
  expect(invokeCommand({ skill: 'a b', step: 1, total: 2, flags })).toBe(
    String.raw`holdfast step 'a b' --step 1 --total-steps 2 --qr-iteration 2 --qr-fail --thoughts 'it'\''s $(rm) "x"'`,
  )
})

test('the header has the step and its title, and a line about it', () => {
  expect(textStepHeader(header)).toEqual(['STEP 6/7: Frame it'])
  expect(textStepHeader({ ...header, title: 'a\nNEXT: b', brief: 'CHALLENGE\n' })).toEqual([
    String.raw`STEP 6/7: a\u{a}NEXT: b`,
    String.raw`  CHALLENGE\u{a}`,
  ])
})

describe('a step as text', () => {
  test('has its actions, indented, and the command after them', () => {
    const next = [way('ok', 'holdfast step x --set "a=<b>&c"', 'synthesis')]
    expect(textOutput({ ...header, brief: 'CHALLENGE' }, ['One.', '', 'Two\nlines.'], viewOf({ next }))).toBe(
      `STEP 6/7: Frame it
  CHALLENGE

DO:
  One.

  Two
  lines.

INVOKE AFTER: holdfast step x --set "a=<b>&c"`,
    )
  })

  test('names every outcome with its command, and those that complete the workflow', () => {
    const next = [way('ok', 'a', null), way('iterate', 'b', 'x'), way('c\nd', 'e\nf', 'y')]
    expect(textOutput(header, [], viewOf({ next })).split('\n').slice(4)).toEqual([
      'INVOKE AFTER:',
      '  ok: a',
      '  iterate: b',
      String.raw`  c\u{a}d: e\u{a}f`,
      completeInText('ok', false),
    ])
  })

  test('that cannot be left says so after NEXT', () => {
    const view = viewOf({ next: [], gate: gateOf() })
    expect(textOutput(header, [], view).split('\n').slice(-2)).toEqual([
      `NEXT: ${STAYS}`,
      `  ${toPrintAgain(view.again)}`,
    ])
  })

  test('defect 30: only a way to the end completes a workflow, whatever the number of its step', () => {
    const ends = (step: number, to: string | null) =>
      textOutput({ ...header, step }, [], viewOf({ next: [way('ok', 'c', to)] })).includes(
        'WORKFLOW COMPLETE',
      )
    expect([1, 5, 6, 7].map((step) => ends(step, null))).toEqual([true, true, true, true])
    expect([5, 6, 7, 8].map((step) => ends(step, 'x'))).toEqual([false, false, false, false])
  })

  test.each(HOSTILE)('keeps every line of %j within its actions', (text) => {
    const parts = [
      text,
      element('forbidden', [element('action', text, { id: text }), text]),
      element(`x`, ''),
    ]
    const lines = textOutput(header, parts, viewOf()).split('\n')
    const actions = lines.slice(lines.indexOf('DO:') + 1, -1)
    expect(actions.filter((line) => line !== '' && !line.startsWith('  '))).toEqual([])
    expect(lines.at(-1)).toMatch(/^INVOKE AFTER: /)
    expect(lines.join('').isWellFormed()).toBe(true)
    expect(lines.join('')).not.toMatch(/<\/?system-reminder/)
  })
})

test('elements become headings with their attributes, and their texts lines below', () => {
  const parts = [
    element('state_banner', ['Round\n2'], { checkpoint: 'Plan', if_missing: 'a\nb' }),
    element('none', [], { name: 'n' }),
    element('outer', [element('inner_one', 'a\nb')]),
    'After.',
  ]
  expect(plainLines(parts).join('\n')).toBe(
    String.raw`  STATE BANNER (checkpoint: Plan, if missing: a\u{a}b):
    Round
    2

  none n

  OUTER:
    inner one: a
      b

  After.`,
  )
})

test('entries of a list have a dash or their name, and nothing is said twice', () => {
  const parts = [
    element('gate_result', 'GATE PASSED', { status: 'pass' }),
    element('forbidden', [element('action', 'Guess.'), element('action', 'Go on.')]),
    element('factored_verification', [element('question', 'Why?', { id: 'Q1' })], { rationale: 'true' }),
    element('resource', ['# Plan'], { name: 'form', purpose: 'The form' }),
    element('verification_checklist', [
      element('check', '', { element: 'title', criterion: 'short', if_missing: 'add it' }),
    ]),
    element('subagent_dispatch', [
      element('context', [element('var', 'a login page', { name: 'request' })]),
      element('invoke', 'holdfast x'),
      element('handoff_instruction', ['Start by invoking: holdfast x']),
    ]),
  ]
  expect(plainLines(parts).join('\n')).toBe(`  GATE PASSED

  FORBIDDEN:
    - Guess.
    - Go on.

  FACTORED VERIFICATION:
    Q1: Why?

  RESOURCE form (purpose: The form):
    # Plan

  VERIFICATION CHECKLIST:
    - title: short
      If missing: add it

  SUBAGENT DISPATCH:
    CONTEXT:
      request: a login page
    HANDOFF INSTRUCTION:
      Start by invoking: holdfast x`)
})

test('the last step of a sub-agent leads back to its agent, whatever the format', () => {
  const [end, other] = ['planner/review', 'planner'].map((skill) =>
    viewOf({ skill, next: [way('ok', 'holdfast step done', null)] }),
  )
  for (const format of ['xml', 'text'] as const) {
    expect(end && printStep({ ...end, format })).toContain('return to the agent that started you')
    expect(other && printStep({ ...other, format })).toContain('present the results')
  }
})
